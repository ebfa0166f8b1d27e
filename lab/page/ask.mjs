// ask.mjs - sends requests to the worker (asking.mjs), one at a time; a new request cancels the previous one. The page contains
// the worker's source, so it is a single file.
export class Asker {
  constructor() {
    const texts = ['core', 'asking'].map((id) => document.getElementById(id).textContent);
    this.url = URL.createObjectURL(new Blob(texts, { type: 'text/javascript' }));
  }

  // { text, ports, links }; undefined: another question came.
  ask(question) {
    this.stop();
    return new Promise((resolve, reject) => {
      this.worker = new Worker(this.url);
      this.ended = () => resolve(undefined);
      this.worker.onmessage = ({ data }) => {
        this.ended = undefined;
        this.stop();
        if (data.error) reject(new Error(data.error));
        else resolve(data);
      };
      this.worker.onerror = (event) => {
        event.preventDefault();
        this.ended = undefined;
        this.stop();
        reject(new Error(event.message || 'the browser ended it'));
      };
      this.worker.postMessage(question);
    });
  }

  stop() {
    this.worker?.terminate();
    this.worker = undefined;
    this.ended?.();
    this.ended = undefined;
  }
}
