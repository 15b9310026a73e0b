package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/static"
)

// The browser tests drive the page as a person does, by keys and by pointer. They wait for the marks that the
// page publishes on its root element, never for frames or for time to pass.

// patienceBrowser bounds the wait for one mark: software rendering on a busy machine is slow.
const patienceBrowser = 60 * time.Second

// screens is where pictures of what a test saw are left for a person to look at.
const screens = "../../out/screens"

// visitor is somebody with a browser.
type visitor struct {
	t   *testing.T
	ctx context.Context
	url string // of the server
}

// window is what the visitor looks at.
type window struct {
	width, height int    // CSS px
	still         bool   // the visitor asks for reduced motion
	without       string // "" or what this browser cannot do: scripts, webgl
}

// visit starts a server with cfg and a browser.
func visit(t *testing.T, cfg web.Config, w window) *visitor {
	t.Helper()
	chromium := findChromium(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	v := &visitor{t: t, url: serveForTest(t, ctx, cfg)}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.WindowSize(w.width, w.height),
		chromedp.Flag("force-prefers-reduced-motion", w.still))
	switch w.without {
	case "scripts":
		options = append(options, chromedp.Flag("blink-settings", "scriptEnabled=false"))
	case "webgl":
		options = append(options, chromedp.Flag("disable-3d-apis", true))
	default:
		options = append(options, chromedp.Flag("use-angle", "swiftshader"), chromedp.Flag("enable-unsafe-swiftshader", true))
	}
	browser, closeBrowser := chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(closeBrowser)
	tab, closeTab := chromedp.NewContext(browser)
	t.Cleanup(closeTab)
	v.ctx = tab
	v.do(chromedp.EmulateViewport(int64(w.width), int64(w.height)))
	v.listen()
	return v
}

// findChromium skips the test on a machine without Chromium or without the built wasm; with CI set, it fails.
func findChromium(t *testing.T) string {
	t.Helper()
	lacks := t.Skipf
	if os.Getenv("CI") != "" {
		lacks = t.Fatalf
	}
	if _, err := static.Files.Open("built/stage.wasm"); err != nil {
		lacks("static/built/stage.wasm is not there; make wasm builds it")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	lacks("no Chromium is installed")
	return ""
}

func serveForTest(t *testing.T, ctx context.Context, cfg web.Config) string {
	t.Helper()
	ctx, stop := context.WithCancel(ctx)
	url, ended := make(chan string, 1), make(chan error, 1)
	cfg.Addr, cfg.Listening = "127.0.0.1:0", func(u string) { url <- u }
	go func() { ended <- web.Serve(ctx, cfg) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	select {
	case u := <-url:
		return u
	case err := <-ended:
		ended <- nil
		t.Fatal(err)
	}
	return ""
}

// listen fails the test for every error that the page writes to its console.
func (v *visitor) listen() {
	messages := chromedp.Console(v.ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.IsException() || m.Type == "error" {
				v.t.Errorf("the page's console: %s", m)
			}
		}
	}()
}

func (v *visitor) do(actions ...chromedp.Action[chromedp.Void]) {
	v.t.Helper()
	if err := chromedp.Do(v.ctx, actions...); err != nil {
		v.t.Fatal(err)
	}
}

func (v *visitor) open(path string) {
	v.t.Helper()
	v.do(chromedp.Navigate(v.url + path))
}

// press presses keys, one after the other, on whatever has the focus.
func (v *visitor) press(keys ...string) {
	v.t.Helper()
	for _, k := range keys {
		v.do(chromedp.KeyEvent(k))
	}
}

// click clicks on the first element that the CSS selector finds and that is seen.
func (v *visitor) click(selector string) {
	v.t.Helper()
	v.do(chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// says is what a piece of JavaScript says of the page, as text.
func (v *visitor) says(script string) string {
	v.t.Helper()
	got, err := chromedp.Run(v.ctx, chromedp.Evaluate[string]("String("+script+")"))
	if err != nil {
		v.t.Fatal(err)
	}
	return got
}

// mark is a mark on the root element, by its name in a dataset: "seq" for data-seq.
func (v *visitor) mark(name string) string {
	v.t.Helper()
	return v.says("document.documentElement.dataset." + name + " || ''")
}

func (v *visitor) number(name string) int {
	v.t.Helper()
	n, err := strconv.ParseFloat(v.mark(name), 64)
	if err != nil {
		v.t.Fatalf("data-%s: %v", name, err)
	}
	return int(n)
}

// wait waits until a mark has a value.
func (v *visitor) wait(name, want string) {
	v.t.Helper()
	v.until(fmt.Sprintf("data-%s to be %q", name, want), func() bool { return v.mark(name) == want })
}

func (v *visitor) until(what string, true func() bool) {
	v.t.Helper()
	for end := time.Now().Add(patienceBrowser); !true(); time.Sleep(25 * time.Millisecond) {
		if time.Now().After(end) {
			v.shoot("failed-" + v.t.Name())
			v.t.Fatalf("waited in vain for %s; the marks are %s", what, v.says("JSON.stringify({...document.documentElement.dataset})"))
		}
	}
}

// shoot leaves a picture of the window.
func (v *visitor) shoot(name string) {
	v.t.Helper()
	png, err := chromedp.Run(v.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		name = filepath.Join(screens, filepath.FromSlash(name)+".png")
		err = errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, png, 0o666))
	}
	if err != nil {
		v.t.Errorf("screenshot: %v", err)
	}
}
