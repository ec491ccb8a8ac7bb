"""A headless Chromium, driven by the DevTools protocol over a pipe. Needs nothing but Python."""
import base64
import json
import os
import shutil
import subprocess
import tempfile


def find():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    raise SystemExit("no chromium here: `scripts/setup --test` installs it")


class Browser:
    """One browser with one page. Requests go out on descriptor 3 of the browser, answers and events
    come in on its descriptor 4, each ended by a zero byte."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="loadfactor-browser-")
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()
        command = [find(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                   "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
                   "--remote-debugging-pipe", f"--user-data-dir={self.profile}", "about:blank"]

        def wire():
            # Both ends are moved out of the way first: either may already be 3 or 4.
            reading, writing = os.dup2(to_browser, 103), os.dup2(from_browser, 104)
            os.dup2(reading, 3)
            os.dup2(writing, 4)

        self.process = subprocess.Popen(command, preexec_fn=wire, close_fds=False,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.count = 0
        self.events = []
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.output)
        os.close(self.input)
        shutil.rmtree(self.profile, ignore_errors=True)

    def _receive(self):
        while b"\0" not in self.buffer:
            part = os.read(self.input, 1 << 16)
            if not part:
                raise RuntimeError("the browser closed its pipe")
            self.buffer += part
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.count += 1
        request = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.output, json.dumps(request).encode() + b"\0")
        while True:
            message = self._receive()
            if message.get("id") == self.count:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            if "method" in message:
                self.events.append(message)

    def open(self, path, width=1100):
        """Loads a file and returns once it is drawn. Forgets the events of pages before."""
        self.visit("file://" + os.path.abspath(path), width)
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def visit(self, url, width=1100):
        """Loads an address. Forgets the events of pages before."""
        self.events = []
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, mobile=False,
                  deviceScaleFactor=1)
        self.call("Page.navigate", url=url)
        while not any(e["method"] == "Page.loadEventFired" for e in self.events):
            message = self._receive()
            if "method" in message:
                self.events.append(message)

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True,
                           returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"].get("description", expression))
        return result["result"].get("value")

    def complaints(self):
        """What the console, the log and uncaught exceptions said."""
        found = []
        for event in self.events:
            given = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                found.append(given["exceptionDetails"]["text"])
            if event["method"] == "Runtime.consoleAPICalled" and given["type"] in ("error", "warning"):
                found.append(str(given["args"]))
            if event["method"] == "Log.entryAdded" and given["entry"]["level"] in ("error", "warning"):
                found.append(given["entry"]["text"])
        return found

    def requests(self):
        """Addresses the page asked for, its own file apart."""
        urls = [e["params"]["request"]["url"] for e in self.events
                if e["method"] == "Network.requestWillBeSent"]
        return [url for url in urls if not url.startswith(("file://", "data:"))]

    def screenshot(self, path):
        height = self.evaluate("document.documentElement.scrollHeight")
        width = self.evaluate("document.documentElement.scrollWidth")
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                         clip={"x": 0, "y": 0, "width": width, "height": height, "scale": 1})
        data = base64.b64decode(shot["data"])
        with open(path, "wb") as file:
            file.write(data)
        return data

    def pdf(self):
        return base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True,
                                          printBackground=True)["data"])

    def media(self, media="", scheme="light"):
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": scheme}])
