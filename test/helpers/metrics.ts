type Labels = Readonly<Record<string, string>>;

export const scraped = async (health_url: string): Promise<string> =>
  await (await fetch(`${health_url}/metrics`)).text();

export const sumOf = (exposition: string, name: string, labels: Labels = {}): number =>
  Array.from(exposition.matchAll(/^(\w+)\{(.*)\} (\S+)$/gm))
    .filter(([, series, given = '']) => {
      const held = new Set(Array.from(given.matchAll(/\w+="[^"]*"/g), ([label]) => label));
      return series === name && Object.entries(labels).every(([label, value]) => held.has(`${label}="${value}"`));
    })
    .reduce((sum, [, , , value]) => sum + Number(value), 0);
