package shared

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Config says which NATS servers share things over. The zero value runs one inside that forgets everything.
type Config struct {
	// URL is the address of a NATS with JetStream, or several with commas: nats://user:password@host:4222, or tls://.
	// If it's empty, Open runs a NATS inside the process, for this process alone.
	URL string
	// Creds is a file with credentials for that NATS, as its tools write it, or "".
	Creds string
	// Dir is the folder for the files of the NATS inside. Only one process can use it. If it's empty, that NATS has a
	// temporary folder, which Close removes.
	Dir string
	// Copies is how many servers of a NATS cluster keep each entry: 1, 3 or 5. 0 stands for what the cluster has been
	// told before, at first 3 if the NATS is a cluster, and 1 if not.
	Copies int
	// Lease is how long a lease lasts without being renewed, LeaseFor if it's 0. All servers of a NATS must say the same.
	Lease time.Duration
	// Log gets a message when the link is lost or comes back, and when NATS complains. It may be nil.
	Log *slog.Logger
}

// Validate returns an error, without secrets, if Open can't use the configuration.
func (c Config) Validate() error {
	if c.Lease != 0 && c.Lease < LeaseAtLeast {
		return fmt.Errorf("a lease of %v is shorter than %v", c.Lease, LeaseAtLeast)
	}
	if c.Creds != "" {
		if c.URL == "" {
			return errors.New("credentials are for a NATS elsewhere, which isn't named")
		}
		f, err := os.Open(c.Creds)
		if err != nil {
			return err
		}
		_ = f.Close()
	}
	return checkURL(c.URL)
}

// Bus connects a server with the others.
type Bus struct {
	log     *slog.Logger
	process string
	inside  *inside // nil if the NATS is somebody else's
	conn    *nats.Conn
	js      jetstream.JetStream
	entries jetstream.Stream
	owners  jetstream.KeyValue
	quota   quota
	// leaseFor is Config.Lease.
	leaseFor time.Duration

	// ctx ends when Close has given up the leases.
	ctx   context.Context
	end   context.CancelFunc
	tasks sync.WaitGroup

	mu     sync.Mutex
	link   context.Context // ends when the state of the link changes
	change context.CancelFunc
	leases map[holding]*Lease
	closed bool // Close has begun
}

// The names in NATS.
const (
	streamName   = "zkviz-logs"
	bucketName   = "zkviz-owners"
	logSubject   = "zkviz.log."
	askSubject   = "zkviz.ask."
	tellSubject  = "zkviz.tell."
	saySubject   = "zkviz.say."
	clientName   = "zkviz"
	manyCopies   = 3
	singleCopies = 1
)

// Open connects to NATS, or starts one, and makes there what it lacks. It waits for a NATS that can't be reached until
// ctx ends. Close must be called at the end.
func Open(ctx context.Context, cfg Config) (*Bus, error) {
	b := &Bus{log: cfg.Log, leaseFor: cmp.Or(cfg.Lease, LeaseFor), leases: map[holding]*Lease{}}
	b.process = strings.ToLower(rand.Text()[:processLetters])
	if b.log == nil {
		b.log = slog.New(slog.DiscardHandler)
	}
	b.ctx, b.end = context.WithCancel(context.Background())
	b.link, b.change = context.WithCancel(context.Background())
	if err := b.open(ctx, cfg); err != nil {
		b.Close()
		return nil, fmt.Errorf("open %s: %w", redacted(cfg), err)
	}
	return b, nil
}

func (b *Bus) open(ctx context.Context, cfg Config) (err error) {
	if err = cfg.Validate(); err != nil {
		return err
	}
	options := b.options()
	if cfg.Creds != "" {
		options = append(options, nats.UserCredentials(cfg.Creds))
	}
	if cfg.URL == "" {
		if b.inside, err = startInside(cfg.Dir, b.log); err != nil {
			return err
		}
		options = append(options, nats.InProcessServer(b.inside.server))
	}
	if b.conn, err = nats.Connect(cfg.URL, options...); err != nil {
		return err
	}
	if b.js, err = jetstream.New(b.conn, jetstream.WithDefaultTimeout(answerOfNATS)); err != nil {
		return err
	}
	return b.untilKnown(ctx, func(ctx context.Context) error { return b.prepare(ctx, cfg.Copies) })
}

// LeaseFor returns how long a lease lasts without being renewed.
func (b *Bus) LeaseFor() time.Duration { return b.leaseFor }

func (b *Bus) options() []nats.Option {
	return []nats.Option{
		nats.Name(clientName), nats.Timeout(answerOfNATS), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1),
		nats.ReconnectWait(reconnectEvery), nats.ReconnectJitter(reconnectEvery, reconnectEvery),
		nats.IgnoreAuthErrorAbort(),
		nats.ReconnectBufSize(-1), // what can't be sent now must fail now
		nats.PingInterval(pingEvery), nats.MaxPingsOutstanding(pingsOut), nats.SyncQueueLen(QueueMessages),
		nats.ConnectHandler(func(*nats.Conn) { b.linkChanged(true, nil) }),
		nats.ReconnectHandler(func(*nats.Conn) { b.linkChanged(true, nil) }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { b.linkChanged(false, err) }),
		nats.ErrorHandler(func(_ *nats.Conn, s *nats.Subscription, err error) {
			b.log.Warn("NATS complains", "about", subjectOf(s), "error", err)
		}),
	}
}

func subjectOf(s *nats.Subscription) string {
	if s == nil {
		return ""
	}
	return s.Subject
}

// prepare makes the stream of logs and the bucket of leases.
func (b *Bus) prepare(ctx context.Context, copies int) (err error) {
	if copies == 0 {
		copies, err = b.copies(ctx)
		if err != nil {
			return err
		}
	}
	b.entries, err = b.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: streamName, Subjects: []string{logSubject + "*"}, Storage: jetstream.FileStorage, Replicas: copies,
		MaxBytes: streamBytes, Discard: jetstream.DiscardNew, MaxAge: KeptFor, MaxMsgSize: EntryBytes + 1024,
		AllowRollup: true,
	})
	if err != nil {
		return err
	}
	b.owners, err = b.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: bucketName, Storage: jetstream.FileStorage, Replicas: copies, History: 1, MaxBytes: ownersBytes,
		TTL: b.leaseFor, LimitMarkerTTL: b.leaseFor, // a mark of its end wakes those who wait
	})
	return err
}

// copies returns how many copies there are, or how many there should be at first.
func (b *Bus) copies(ctx context.Context) (int, error) {
	stream, err := b.js.Stream(ctx, streamName)
	switch {
	case err == nil:
		return stream.CachedInfo().Config.Replicas, nil
	case !errors.Is(err, jetstream.ErrStreamNotFound):
		return 0, err
	case b.conn.ConnectedClusterName() != "":
		return manyCopies, nil
	}
	return singleCopies, nil
}

// untilKnown repeats do until it succeeds, NATS refuses it or a context ends.
func (b *Bus) untilKnown(ctx context.Context, do func(context.Context) error) error {
	for {
		err := within(ctx, prepareFor, do)
		if o := outcomeOf(err); o != unknown {
			return err
		}
		if stop := b.pause(ctx, retryEvery); stop != nil {
			why := b.linkError(context.Background(), err)
			if last := b.conn.LastError(); last != nil {
				why = last // a password that NATS refuses, for one
			}
			return fmt.Errorf("%w: %w", stop, why)
		}
	}
}

// within gives do a time limit.
func within(ctx context.Context, d time.Duration, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return do(ctx)
}

// Close gives up all leases, so that others can take them at once, and ends the NATS inside. It waits for both, and for
// functions that Answer and Hear were given. Whatever still runs with the bus fails with ErrClosed.
func (b *Bus) Close() {
	b.mu.Lock()
	leases := slices.Collect(maps.Values(b.leases))
	b.closed = true
	b.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), closeFor)
	defer cancel()
	var all sync.WaitGroup
	for _, l := range leases {
		all.Go(func() { l.Release(ctx) })
	}
	all.Wait()
	b.end()
	b.tasks.Wait()
	if b.conn != nil {
		b.conn.Close()
	}
	if b.inside != nil {
		b.inside.close()
	}
}

// start runs do in a goroutine that Close waits for. It returns false if the bus is closed.
func (b *Bus) start(do func()) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	b.tasks.Go(do)
	return true
}
