package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/lessons"
)

// openingScript notes in the page when its parts are there.
//
//go:embed testdata/opening.js
var openingScript string

// before is the environment variable with another viz-server, for example an older one. The benchmark measures that
// one in turn with this one, so that their ratio doesn't depend on the machine. An address of a server will do, too.
const before = "ZKVIZ_BENCH_BEFORE"

// device is a machine to read on.
type device struct {
	name      string
	window    window
	slower    float64 // how many times slower its processor is
	latencyMS float64
	bytes     float64 // a second, 0 for no limit
}

var devices = []device{
	{name: "wide", window: desktop, slower: 1},
	{name: "slow-phone", window: upright, slower: 4, latencyMS: 150, bytes: 1.6e6 / 8},
}

// BenchmarkOpening opens a lesson in Chromium as somebody who was never there and as somebody who comes back, on a wide
// screen and on a slow phone. It reports when text, picture, Next, and stage are there, and how much time the page's
// process took of processors until then, which depends less on what else they do. Next is pressed at once.
// Short, it looks at the wide screen only.
func BenchmarkOpening(b *testing.B) {
	book, err := lessons.Open(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	urls := map[string]string{"now": (&browser{book: book}).serve(b, web.Config{})}
	if other := os.Getenv(before); strings.HasPrefix(other, "http") {
		urls["before"] = other
	} else if other != "" {
		urls["before"], _ = start(b, other)
	}
	for _, d := range devices {
		if testing.Short() && d.slower > 1 {
			continue
		}
		b.Run(d.name, func(b *testing.B) { benchmarkOpening(b, d, urls) })
	}
}

func benchmarkOpening(b *testing.B, d device, urls map[string]string) {
	all := map[string][]float64{}
	for b.Loop() {
		for _, version := range slices.Sorted(maps.Keys(urls)) {
			profile := launch(b) // with empty caches
			for _, visit := range []string{"first", "again"} {
				for what, ms := range opening(b, profile, d, urls[version]+"/lessons/the-herd") {
					name := visit + "-" + what
					all[name+"-ms-"+version] = append(all[name+"-ms-"+version], ms)
				}
				// The browser stores the compiled program a while after it has run.
				time.Sleep(storesAfter)
			}
			_ = chromedp.Cancel(profile)
		}
	}
	for what, ms := range all {
		b.ReportMetric(median(ms), what)
		if then := all[strings.TrimSuffix(what, "now")+"before"]; strings.HasSuffix(what, "now") && then != nil {
			b.ReportMetric(median(ms)/median(then), strings.TrimSuffix(what, "ms-now")+"ratio")
		}
	}
	b.ReportMetric(0, "ns/op")
}

func median(all []float64) float64 { return slices.Sorted(slices.Values(all))[len(all)/2] }

const storesAfter = 4 * time.Second

// opening opens an address in a new tab and returns when the page's parts were there, in ms.
func opening(b *testing.B, browser context.Context, d device, url string) (ms map[string]float64) {
	b.Helper()
	tab, leave := chromedp.NewContext(browser)
	defer leave()
	if err := chromedp.Do(tab,
		chromedp.EmulateViewport(int64(d.window.width), int64(d.window.height)),
		command(emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}),
		command(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: openingScript}),
		command(network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
			MatchedNetworkConditions: []*network.Conditions{
				{Latency: d.latencyMS, DownloadThroughput: orNone(d.bytes), UploadThroughput: orNone(d.bytes)},
			},
		}),
		command(performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks}),
		command(emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: d.slower}),
		chromedp.Navigate(url),
	); err != nil {
		b.Fatal(err)
	}
	for end := time.Now().Add(waitLimit); ms["stage"] == 0; time.Sleep(100 * time.Millisecond) {
		text, err := chromedp.Run(tab, chromedp.Evaluate[string]("JSON.stringify(window.opening)"))
		if err == nil {
			err = json.Unmarshal([]byte(text), &ms)
		}
		if err != nil || time.Now().After(end) {
			b.Fatalf("%s: %v; there are only %v", url, err, ms)
		}
	}
	used, err := chromedp.Call(tab, performance.GetMetrics, cdp.Empty{})
	if err != nil {
		b.Fatal(err)
	}
	for _, m := range used.Metrics {
		if m.Name == "ProcessTime" {
			ms["processor"] = m.Value * 1000
		}
	}
	return ms
}

// orNone returns a limit of a network, where -1 is none.
func orNone(bytes float64) float64 {
	if bytes == 0 {
		return -1
	}
	return bytes
}

// start runs another viz-server until the benchmark ends, and returns its address and its process.
func start(b *testing.B, program string, args ...string) (url string, pid int) {
	b.Helper()
	c := exec.CommandContext(b.Context(), program, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.Wait() }) // its context has ended
	url, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(url), c.Process.Pid
}
