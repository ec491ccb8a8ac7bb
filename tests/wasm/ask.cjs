// Asks the module of a folder one question a line, and prints its answer and how long it took, one a line.
const fs = require("fs"), path = require("path"), readline = require("readline");
const folder = path.resolve(process.argv[2]);
require(path.join(folder, "loadfactor.js"))({ wasmBinary: fs.readFileSync(path.join(folder, "loadfactor.wasm")) }).then(engine => {
  readline.createInterface({ input: process.stdin }).on("line", line => {
    const begin = process.cpuUsage();
    let answer;
    try { answer = engine.ccall("loadfactor_ask", "string", ["string"], [line]); } catch (fault) { answer = `trap: ${fault}`; }
    const spent = process.cpuUsage(begin);
    console.log(JSON.stringify({ answer, seconds: (spent.user + spent.system) / 1e6 }));
  });
});
