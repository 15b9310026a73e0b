package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/record"
	"github.com/zkviz/zkviz/engine/observe/tap"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/zookeeper/connstring"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
)

// tapCmd is a proxy between clients and an ensemble that shows their traffic.
type tapCmd struct {
	Listen string        `default:"127.0.0.1:2182" placeholder:"HOST:PORT" help:"Where clients connect (default: ${default}). Port 0 picks a free one."`
	ZK     []string      `name:"zk" sep:"none" placeholder:"HOST:PORT" help:"The real ZooKeeper: its connection string, such as a:2181,b:2181, or the server lines of its zoo.cfg. Each connection goes to the next server in reach."`
	Conns  int           `default:"2048" placeholder:"N" help:"The maximum number of clients (default: ${default})."`
	Addr   string        `placeholder:"HOST:PORT" help:"Also serve pages at this address: what clients ask and what fails, by path and by client, and the clients as a picture."`
	Trace  string        `placeholder:"FILE" help:"Save the first 100,000 events in this file, for viz-server check and for a page."`
	JSON   bool          `name:"json" help:"Print one JSON object a line; the last one holds the figures, also by path and by client."`
	Every  time.Duration `placeholder:"D" help:"Print a line of figures at this interval, like 1s, instead of what each client does."`
	folderFlags
	tlsFlags
}

func (c *tapCmd) Run(term *terminal) error {
	if err := c.validate(); err != nil {
		return err
	}
	secure, err := c.config()
	if err != nil {
		return err
	}
	folder, closed, err := c.recording(term)
	if err != nil {
		return err
	}
	defer closed()
	lines := newTapLines(term.out, c.JSON)
	cfg := tap.Config{Listen: c.Listen, Servers: c.ZK, TLS: secure, Conns: c.Conns,
		Trouble: func(err error) { term.complain("%v", err) }}
	if c.Every == 0 {
		cfg.Tell = lines.print
	}
	t, err := tap.Listen(cfg)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("--listen: %w; name another address, or port 0 for a free one", err)
	}
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	trace, err := createTrace(term, c.Trace, run.ZooHeader("/", t.System()))
	if err != nil {
		return errors.Join(err, t.Close())
	}
	defer trace.discard()
	term.say("Clients that connect to %s reach %s and appear here. Ctrl-C stops the tap and breaks their connections.",
		t.Addr(), strings.Join(c.ZK, ","))
	if !embed.Loopback(t.Addr().String()) {
		term.say("warning: anyone who can reach %s reaches the ZooKeeper behind it, from this machine's address", t.Addr())
	}
	if err := c.serve(term, t, lines, trace, folder); err != nil {
		return err
	}
	lines.summary(c.ZK, t.Figures(), t.Breakdown())
	return trace.commit()
}

// serve runs everything concurrently, until the user interrupts or something fails.
func (c *tapCmd) serve(
	term *terminal, t *tap.Tap, lines *tapLines, trace *traceFile, folder *record.Folder,
) error {
	ctx, cancel := context.WithCancelCause(term.ctx)
	defer cancel(nil)
	var workers sync.WaitGroup
	defer workers.Wait()
	if c.Trace != "" {
		workers.Go(func() {
			if err := t.Observe(context.Background(), "/", trace, 0, nil); errors.Is(err, event.ErrLogFull) {
				term.complain("%s is full at 100,000 events; the tap continues without it", c.Trace)
			}
		})
	}
	if folder != nil {
		begun := make(chan struct{})
		workers.Go(func() { recordTap(t, folder, sync.OnceFunc(func() { close(begun) })) })
		<-begun // miss nothing of the first client
	}
	if c.Every > 0 {
		workers.Go(func() { lines.every(ctx, c.Every, t) })
	}
	if c.Addr != "" {
		workers.Go(func() {
			if err := c.page(ctx, term, t, folder); err != nil {
				cancel(fmt.Errorf("--addr: %w", err))
			}
		})
	}
	err := t.Serve(ctx)
	if err == nil && term.ctx.Err() == nil {
		err = context.Cause(ctx)
	}
	cancel(nil)
	return err
}

// recording opens the folder for recordings, nil if none is wanted. The caller calls end when the tap is over.
func (c *tapCmd) recording(term *terminal) (folder *record.Folder, end func(), err error) {
	if c.Record == "" {
		return nil, func() {}, nil
	}
	folder, err = c.folder(func(why error) {
		if why == nil {
			term.say("Recording continues.")
			return
		}
		term.complain("can't record; trying again, while the tap continues: %v", why)
	})
	if err != nil {
		return nil, nil, err
	}
	return folder, func() {
		if err := folder.Close(); err != nil {
			term.complain("the recordings are incomplete: %v", err)
		}
	}, nil
}

// recordTap records everything that the tap sees, until it ends. It calls begun once recording has started.
func recordTap(t *tap.Tap, folder *record.Folder, begun func()) {
	_ = folder.Keep(context.Background(), "", func() (event.Header, event.Source) {
		return run.ZooHeader("/", t.System()), func(ctx context.Context, sink event.Sink) error {
			return t.Observe(ctx, "/", sink, 0, func(func(event.Event) event.Seq) { begun() })
		}
	}) // it ends with the tap
}

// page serves the page.
func (c *tapCmd) page(ctx context.Context, term *terminal, t *tap.Tap, folder *record.Folder) error {
	if !embed.Loopback(c.Addr) {
		term.say("warning: other machines can reach %s and see what the clients do, with the start of the data that they "+
			"write; it doesn't authenticate anyone", c.Addr)
	}
	return web.Serve(ctx, web.Config{Addr: c.Addr, Tap: t, Record: folder, Log: loggingFlags{}.logger(term.log()),
		Listening: func(url string) { term.say("The page: %s", strings.TrimSuffix(url, "/")+"/") }})
}

// validate refuses unusable flags.
func (c *tapCmd) validate() error {
	if len(c.ZK) == 0 {
		return errors.New("--zk: name the servers that clients should reach, like --zk 127.0.0.1:2181")
	}
	a, err := connstring.Parse(strings.Join(c.ZK, "\n"))
	if err != nil {
		return fmt.Errorf("--zk: %w", err)
	}
	if a.Chroot != "" {
		return fmt.Errorf("--zk: a tap passes paths on unchanged, so leave out %s; put it at the end of the clients' own "+
			"connection string", a.Chroot)
	}
	c.ZK = a.Servers
	switch {
	case c.Trace == standardOutput:
		return errors.New("--trace: standard output already shows what the clients do; name a file")
	case c.Conns < 1:
		return fmt.Errorf("--conns: %d connections are not possible; 2048 is usual", c.Conns)
	case c.Every < 0 || c.Every > 0 && c.Every < 100*time.Millisecond:
		return fmt.Errorf("--every: %v is too short; the least is 100ms", c.Every)
	}
	return nil
}
