// How a page talks to Lanescope in its frame: hands over files, sends requests, shows answers.

const frame = document.getElementById("lanescope");
const origin = new URL(frame.src, location.href).origin;
const at = (id) => document.getElementById(id);

// Some requests to begin with.
const PARAMS = {
  "import/action": {},
  "unit/threadTracesSummary": { processId: "1", startTime: 0, endTime: 100000 },
  "unit/threadTraces": { processId: "1", threadId: "1", startTime: 0, endTime: 100000 },
  "unit/threadDetail": { pid: "1", tid: "1", id: "1" },
  "unit/flows": { pid: "1", tid: "1", id: "1" },
  "source/code/file": { sourceName: "" },
  "source/api/line/dynamic": { sourceName: "", coreName: "" },
  "source/api/instructions/dynamic": { coreName: "" },
  "source/details/baseInfo": {},
  "source/details/computeworkload": {},
  "source/details/memoryGraph": { blockId: "0", showAs: "request" },
  "source/details/memoryTable": { blockId: "0", showAs: "request" },
  "source/details/interCoreLoadAnalysis": {},
  "source/details/roofline": {},
  "source/cache/cachelineRecords": {},
  "source/queryTopWarpStallReason": {},
};

let nextId = 1;

function write() {
  const command = at("command").value;
  const moduleName = command.startsWith("source/") ? "source" : "timeline";
  const request = { id: nextId++, moduleName, type: "request", command, params: PARAMS[command] };
  at("request").value = JSON.stringify(request, null, 2);
}

function say(message) {
  frame.contentWindow.postMessage(message, origin);
}

for (const command of Object.keys(PARAMS)) {
  at("command").append(new Option(command, command));
}
at("command").addEventListener("change", write);
write();

at("files").addEventListener("change", () => {
  const open = [...at("files").files].map((file) => ({ name: file.name, data: file }));
  at("status").textContent = "Opening …";
  say({ lanescope: { open, id: nextId++ } });
});

at("send").addEventListener("click", () => {
  try {
    say({ lanescope: JSON.parse(at("request").value) });
  } catch (error) {
    at("answer").value = String(error);
  }
});

addEventListener("message", (event) => {
  if (event.source !== frame.contentWindow || event.origin !== origin) return;
  const said = event.data && event.data.lanescope;
  if (!said) return;
  if (said.ready) {
    at("status").textContent = "Ready.";
    at("files").disabled = false;
    at("send").disabled = false;
  } else if (said.opened) {
    const { document: number, name, result, error } = said.opened;
    at("status").textContent = result ? `Document ${number} is open: ${name}.` : error.message;
  } else {
    at("answer").value = JSON.stringify(said, null, 2);
  }
});
