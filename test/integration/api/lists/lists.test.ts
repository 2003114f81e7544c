import './cursors.ts';
import './projects.ts';
import './renders.ts';
import './search.ts';
