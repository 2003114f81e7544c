const ITEM = 'language';

const remembered = () => {
  try {
    return sessionStorage.getItem(ITEM) ?? 'sh';
  } catch {
    return 'sh';
  }
};

const remember = (language) => {
  try {
    sessionStorage.setItem(ITEM, language);
  } catch {
    // The choice then lasts until the next reload.
  }
};

const show = (language) => {
  for (const panel of document.querySelectorAll('.samples .code')) panel.hidden = panel.dataset.language !== language;
  for (const button of document.querySelectorAll('.languages button'))
    button.setAttribute('aria-pressed', String(button.dataset.language === language));
};

/** All samples show the same language. Without this script, they show all languages. */
const addLanguages = () => {
  for (const languages of document.querySelectorAll('.languages')) {
    languages.hidden = false;
    languages.addEventListener('click', ({ target }) => {
      const { language } = target.dataset;
      if (language === undefined) return;
      const before = languages.getBoundingClientRect().top;
      remember(language);
      show(language);
      // The samples above have other lengths now, so the page moves to keep the place.
      window.scrollBy({ top: languages.getBoundingClientRect().top - before, behavior: 'instant' });
    });
  }
  show(remembered());
};

const addCopyButtons = () => {
  for (const panel of document.querySelectorAll('.guide .code')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(panel.querySelector('code').textContent);
      button.textContent = 'Copied';
    });
    for (const end of ['mouseleave', 'blur'])
      button.addEventListener(end, () => {
        button.textContent = 'Copy';
      });
    panel.append(button);
  }
};

const NARROW = window.matchMedia('(max-width: 900px)');

/** On a narrow page the contents are closed until they are asked for, and again after a choice. */
const foldContents = () => {
  const contents = document.querySelector('.contents');
  const follow = () => {
    contents.open = !NARROW.matches;
  };
  NARROW.addEventListener('change', follow);
  contents.addEventListener('click', ({ target }) => {
    if (NARROW.matches && target.closest('a') !== null) contents.open = false;
  });
  follow();
};

/** The address of a part, as the contents have it. Swagger UI gives an operation the id `operations-Tag-name`. */
const hrefOf = (part) => (part.matches('.opblock') ? `#/${part.id.split('-').slice(1).join('/')}` : `#${part.id}`);

/** Marks the link of the part that is at the top of the window. */
const followReading = () => {
  const links = new Map([...document.querySelectorAll('.contents a')].map((link) => [link.getAttribute('href'), link]));
  let marked = null;
  const mark = () => {
    const parts = [...document.querySelectorAll('.guide section[id], #interface h2[id], .opblock[id]')];
    const reached = parts.filter((part) => part.getBoundingClientRect().top < 120).at(-1) ?? parts[0];
    const link = reached === undefined ? null : (links.get(hrefOf(reached)) ?? null);
    if (link === marked) return;
    marked?.removeAttribute('aria-current');
    link?.setAttribute('aria-current', 'true');
    marked = link;
  };
  document.addEventListener('scroll', mark, { passive: true });
  mark();
};

/** The samples name the service that serves this page. */
const addAddress = () => {
  for (const example of document.querySelectorAll('#key pre code'))
    example.textContent = example.textContent.replace('https://video.example.com', location.href.split('/v1/docs')[0]);
};

export const openGuide = () => {
  addAddress();
  addLanguages();
  addCopyButtons();
  foldContents();
  followReading();
};

/** The id of a heading, as the contents have it. */
const idOf = (heading) => heading.textContent.toLowerCase().replace(/[^a-z]+/g, '-');

/** Scrolls to the part in the address, which exists only once the document is drawn. */
const goToPart = () => {
  const id = decodeURIComponent(location.hash.slice(1));
  if (id !== '' && !id.startsWith('/')) document.getElementById(id)?.scrollIntoView();
};

/** Makes the headings and operations of the drawn document targets of the contents. */
export const connectContents = (ui) => {
  for (const heading of document.querySelectorAll('#interface .info .renderedMarkdown h2'))
    heading.id ||= idOf(heading);
  document.querySelector('.contents').addEventListener('click', (event) => {
    const [, tag, operation] = event.target.closest('a')?.getAttribute('href').split('/') ?? [];
    if (operation === undefined) return;
    event.preventDefault();
    history.pushState(null, '', `#/${tag}/${operation}`);
    ui.layoutActions.show(['operations-tag', tag], true);
    ui.layoutActions.show(['operations', tag, operation], true);
    document.getElementById(`operations-${tag}-${operation}`)?.scrollIntoView();
  });
  goToPart();
};
