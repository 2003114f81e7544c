import './access.ts';
import './changes.ts';
import './endpoints.ts';
import './keys.ts';
import './projects.ts';
import './people.ts';
import './renders.ts';
import './teams.ts';
