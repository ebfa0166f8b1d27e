// asking.mjs - the worker for requests that take long: it has a core of its own, in which it opens the same scene. Uses the
// global ripstop_core, which emcc makes.
import { Core } from './core.mjs';

const QUESTIONS = {
  prove: (core, { cycle }) => core.prove(cycle),
  defeat: (core, { sets }) => core.defeat(sets),
  methods: (core) => core.methods(),
};

async function answer({ question, settings, ...more }) {
  const core = new Core(await globalThis.ripstop_core());
  core.open(settings);
  const text = QUESTIONS[question](core, more);
  const { litPort, litLink } = core.arrays();
  return { text, ports: litPort.slice(), links: litLink.slice() };
}

globalThis.onmessage = async ({ data }) => {
  try {
    globalThis.postMessage(await answer(data));
  } catch (error) {
    globalThis.postMessage({ error: error.message });
  }
};
