import { type Answer, get } from "./api";

// Names of the catalogue, for completion and lists; read once, when first wanted.
class Catalogue {
  models = $state.raw<string[]>([]);
  gpus = $state.raw<string[]>([]);

  async load() {
    if (this.gpus.length) return;
    const names = async (noun: string) => {
      const found = (await get<Answer<Record<string, { name: string }[]>>>(`catalog/${noun}`)).answer[noun];
      return [...new Set(found.map(row => row.name))];
    };
    [this.models, this.gpus] = await Promise.all([names("models"), names("gpus")]).catch(() => [[], []]);
  }
}

export const catalogue = new Catalogue();
