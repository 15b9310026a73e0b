package alarm

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/locks"
)

// Limits of sending.
const (
	maxQueued   = 1000             // messages; more are dropped
	postTimeout = 10 * time.Second // of one try
	firstPause  = time.Second      // after a failed try; it doubles
	maxPause    = time.Minute
	giveUpAfter = time.Hour // for one message, since it was queued
	maxAnswer   = 64 << 10  // bytes of an answer that are read
)

// WebhookConfig configures a Webhook.
type WebhookConfig struct {
	URL *url.URL // as ParseURL returns it; its credentials are sent, and never reported
	// Say puts a sentence into words that are safe to show on a line.
	Say func(sentence.Sentence) string
	// Report receives what the operator should know: that messages aren't delivered, or are again, and why.
	Report func(level slog.Level, text, why string)

	Transport http.RoundTripper // replaces HTTP in tests
	Run       string            // replaces what distinguishes the IDs of one run from those of others, in tests
}

// Webhook sends troubles to a receiver, in order, without ever blocking those that hand them in.
type Webhook struct {
	cfg    WebhookConfig
	client *http.Client
	queue  chan queued
	pause  time.Duration // after the next failed try

	sent, dropped, failures atomic.Uint64
	failing                 atomic.Bool   // the last try failed
	lost                    atomic.Uint64 // dropped since the last delivery
}

// queued is a message that waits.
type queued struct {
	line  []byte
	since time.Time
}

// WebhookStats are what a Webhook has done.
type WebhookStats struct {
	Sent     uint64 // messages delivered
	Dropped  uint64 // messages that nobody received
	Failures uint64 // tries that failed
	Queued   int    // messages that wait
}

// errAddress refuses an address without repeating it, since it may hold a secret.
var errAddress = errors.New("it is not an address like https://hooks.example.com/zkviz")

// ParseURL parses a webhook's address. Its errors don't contain it.
func ParseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Fragment != "" {
		return nil, errAddress
	}
	return u, nil
}

// NewWebhook returns a Webhook that sends once Run runs.
func NewWebhook(cfg WebhookConfig) *Webhook {
	if cfg.Run == "" {
		cfg.Run = strings.ToLower(rand.Text()[:10])
	}
	if cfg.Transport == nil {
		cfg.Transport = http.DefaultTransport.(*http.Transport).Clone()
	}
	return &Webhook{cfg: cfg, queue: make(chan queued, maxQueued), client: &http.Client{
		Transport: cfg.Transport, Timeout: postTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// Stats returns what has been done so far.
func (w *Webhook) Stats() WebhookStats {
	return WebhookStats{w.sent.Load(), w.dropped.Load(), w.failures.Load(), len(w.queue)}
}

// Send queues the troubles among changes at a cluster's locks. If there's no room, it drops them.
func (w *Webhook) Send(cluster string, changes []locks.Change, now time.Time) {
	for i := range changes {
		c := &changes[i]
		if c.Alert == nil {
			continue
		}
		w.enqueue(messageOf(w.id(cluster, "", c.Number), cluster, c, w.cfg.Say), now)
	}
}

// SendServers queues what is new about a cluster's servers. If there's no room, it drops it.
func (w *Webhook) SendServers(cluster string, changes []ServerChange, now time.Time) {
	for i := range changes {
		c := &changes[i]
		w.enqueue(serversMessage(w.id(cluster, "s", c.Number), cluster, c, w.cfg.Say), now)
	}
}

func (w *Webhook) enqueue(m message, now time.Time) {
	select {
	case w.queue <- queued{m.encode(), now}:
	default:
		w.drop("too many troubles wait for the webhook", fmt.Sprintf("%d wait", maxQueued))
	}
}

// id returns a trouble's ID, which no other trouble has, of whichever cluster or run. A series has numbers of its own.
func (w *Webhook) id(cluster, series string, number int64) string {
	sum := fnv.New32a()
	_, _ = io.WriteString(sum, cluster)
	return fmt.Sprintf("%s-%08x-%s%d", w.cfg.Run, sum.Sum32(), series, number)
}

// drop counts a message that nobody receives. It reports the first since the last delivery.
func (w *Webhook) drop(text, why string) {
	w.dropped.Add(1)
	if w.lost.Add(1) == 1 {
		w.cfg.Report(slog.LevelWarn, text+": troubles are dropped from now on", why)
	}
}

// Run sends what is queued until ctx ends. What still waits then is dropped.
func (w *Webhook) Run(ctx context.Context) {
	defer w.client.CloseIdleConnections()
	for left := 0; ; {
		select {
		case <-ctx.Done():
			if left += len(w.queue); left > 0 {
				w.dropped.Add(uint64(left))
				w.cfg.Report(slog.LevelWarn, "stopping before the webhook has all troubles", fmt.Sprintf("%d wait", left))
			}
			return
		case m := <-w.queue:
			if !w.deliver(ctx, m) {
				left++
			}
		}
	}
}

// deliver tries until the receiver takes the message, refuses it for good, or it is too old. It returns false if ctx
// ends first.
func (w *Webhook) deliver(ctx context.Context, m queued) bool {
	for why := "an earlier one wasn't taken"; ; {
		if w.failing.Load() && time.Since(m.since) > giveUpAfter {
			w.drop("the webhook hasn't taken a trouble for too long", why)
			return true
		}
		retry, err := w.post(ctx, m.line)
		switch {
		case err == nil:
			w.took()
			return true
		case ctx.Err() != nil:
			return false
		}
		w.failures.Add(1)
		if why = w.why(err); !retry {
			w.drop("the webhook refuses a trouble", why)
			return true
		}
		if !w.failing.Swap(true) {
			w.pause = firstPause
			w.cfg.Report(slog.LevelWarn, "the webhook doesn't take a trouble; trying again", why)
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(w.pause):
			w.pause = min(2*w.pause, maxPause)
		}
	}
}

// took records a delivery.
func (w *Webhook) took() {
	w.sent.Add(1)
	failed, lost := w.failing.Swap(false), w.lost.Swap(0)
	if failed || lost > 0 {
		w.cfg.Report(slog.LevelInfo, "the webhook takes troubles again", fmt.Sprintf("%d were dropped", lost))
	}
}

// post sends a message once, and reports whether another try may succeed.
func (w *Webhook) post(ctx context.Context, line []byte) (retry bool, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.cfg.URL.String(), bytes.NewReader(line))
	if err != nil {
		return false, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "zkviz")
	answer, err := w.client.Do(r)
	if err != nil {
		return true, err
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxAnswer)) // so that the connection can be used again
	switch code := answer.StatusCode; {
	case code/100 == 2:
		return false, nil
	case code == http.StatusRequestTimeout, code == http.StatusTooEarly, code == http.StatusTooManyRequests, code >= 500:
		return true, fmt.Errorf("it answers %d", code)
	default: // redirects among them
		return false, fmt.Errorf("it answers %d", code)
	}
}

// why returns the reason of a failure with the receiver's host, and nothing else of its address.
func (w *Webhook) why(err error) string {
	var of *url.Error // repeats the address
	if errors.As(err, &of) {
		err = of.Err
	}
	return w.cfg.URL.Host + ": " + err.Error()
}
