// Runs a WASI program under Node, with the repository as its folder and the environment of the caller.
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const [program, ...args] = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args: [program, ...args], env: process.env, preopens: { "/": "/" } });
// There are no threads: what would wait for one fails as an unsupported function does.
const ENOSYS = 52;
const env = { pthread_join: () => ENOSYS, pthread_detach: () => ENOSYS };
const { instance } = await WebAssembly.instantiate(await readFile(program), { ...wasi.getImportObject(), env });
process.exitCode = wasi.start(instance);
