package attacks

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"github.com/zkviz/zkviz/cmd/attack/internal/client"
	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/zoo"
)

// ofMemory are attacks of one client of the ZooKeeper inside that would end the process.
func ofMemory() []Attack {
	return []Attack{
		{Name: "multi-read", Weight: 15, Rest: rest, Play: multiRead,
			Shows: "A multiRead that asks for a thousand and for four thousand times a megabyte does not end the server."},
		{Name: "unread-lists", Weight: 25, Rest: rest, Play: unreadLists,
			Shows: "Fifty connections that ask for long lists of children and read nothing do not fill the memory."},
		{Name: "unread-events", Weight: 20, Rest: rest, Play: unreadEvents,
			Shows: "Two hundred connections that let watch events pile up do not fill the memory."},
		{Name: "zk-connections", Weight: 15, Rest: rest, Play: connections,
			Shows: "Thousands of connections to the ZooKeeper inside, silent or half greeted, from sixty addresses, shut nobody out."},
		{Name: "zk-frames", Weight: 20, Rest: rest, Play: frames,
			Shows: "Frames that are huge, announced and never sent, negative or garbage cost the server little."},
	}
}

// The sizes of multi-read.
const (
	bigData      = 1_000_000 // bytes of one znode
	multiReaders = handful
)

// multiReads are how many reads one request has.
var multiReads = []int{1000, 4000}

func multiRead(ctx context.Context, w *World) error {
	owner, done, err := w.session(ctx, loner())
	if err != nil {
		return err
	}
	defer done()
	if err := root(owner); err != nil {
		return err
	}
	big := Root + "/big"
	if a, _, err := owner.Do(create(big, make([]byte, w.n(bigData)), zoo.Ephemeral)); err != nil || a.Code != zoo.OK {
		w.note("a znode of %d bytes was refused: %v %v", w.n(bigData), a.Code, err)
		return nil
	}
	defer closing(owner)
	from := sources()
	for _, size := range multiReads {
		ask := wire.Request{Op: wire.OpMultiRead}
		for range w.n(size) {
			ask.Ops = append(ask.Ops, wire.Request{Op: wire.OpGetData, Path: big})
		}
		var t tally
		each(ctx, multiReaders, func(ctx context.Context, i int) {
			p, done, err := w.session(ctx, from[i])
			if err != nil {
				t.add("not connected")
				return
			}
			defer done()
			defer closing(p)
			switch answer, _, err := p.Do(ask); {
			case err != nil:
				t.add("cut off")
			default:
				t.add("answered with " + answer.Code.Error())
			}
		})
		w.note("multiRead of %d: %s", len(ask.Ops), &t)
		if err := owner.Ping(); err != nil {
			return nil // the time is over, or the server is dead: others see that
		}
	}
	return nil
}

// The sizes of unread-lists.
const (
	listed     = 200_000 // children
	listedName = 100     // bytes of each name
	listers    = 50      // connections
	listsEach  = 20      // requests that each sends
	setUpShare = 0.5     // of the time, at most, goes into the children
)

func unreadLists(ctx context.Context, w *World) error {
	owner, done, err := w.sessionFor(ctx, loner(), longSession)
	if err != nil {
		return err
	}
	defer done()
	wide := Root + "/wide"
	if err := root(owner); err != nil {
		return err
	}
	if _, _, err := owner.Do(create(wide, nil, zoo.Persistent)); err != nil {
		return err
	}
	early, cancel := part(ctx, setUpShare)
	defer cancel()
	made, refused := many(early, owner, w.n(listed), func(i int) wire.Request {
		name := fmt.Sprintf("%08d", i)
		return create(wide+"/"+name+strings.Repeat("x", listedName-len(name)), nil, zoo.Persistent)
	})
	w.note("%d of %d children were made (%v)", made, w.n(listed), refused)
	from := sources()
	var t tally
	each(ctx, w.n(listers), func(ctx context.Context, i int) {
		p, done, err := w.sessionFor(ctx, from[i%len(from)], longSession)
		if err != nil {
			t.add("not connected")
			return
		}
		defer done()
		for range listsEach {
			if err := p.Send(wire.Request{Op: wire.OpGetChildren, Path: wide}); err != nil {
				t.add("cut off")
				return
			}
		}
		t.add("that asked and never read")
		w.held(ctx)
	})
	w.note("connections: %s", &t)
	return nil
}

// The sizes of unread-events.
const (
	deaf      = 200    // connections that watch and do not read
	eventPath = 900    // bytes of the path that each event names
	changes   = 12_000 // of the znode
)

func unreadEvents(ctx context.Context, w *World) error {
	writer, done, err := w.sessionFor(ctx, loner(), longSession)
	if err != nil {
		return err
	}
	defer done()
	if err := root(writer); err != nil {
		return err
	}
	path := Root + "/" + strings.Repeat("e", eventPath)
	if _, _, err := writer.Do(create(path, nil, zoo.Ephemeral)); err != nil {
		return err
	}
	defer closing(writer)
	from := sources()
	var t tally
	for i := range w.n(deaf) {
		p, done, err := w.sessionFor(ctx, from[i%len(from)], longSession)
		if err != nil {
			t.add("not connected")
			continue
		}
		defer done()
		if _, _, err := p.Do(wire.Request{Op: wire.OpAddWatch, Path: path, Mode: wire.WatchPersistentRecursive}); err != nil {
			t.add("cut off")
			continue
		}
		t.add("watching and not reading")
	}
	made, refused := many(ctx, writer, w.n(changes), func(int) wire.Request {
		return wire.Request{Op: wire.OpSetData, Path: path, Version: -1}
	})
	w.note("%s; %d of %d changes (%v)", &t, made, w.n(changes), refused)
	return nil
}

// The sizes of zk-connections.
const (
	manyAddresses = 60 // and as many connections from each
	perAddress    = 60
	dialsASecond  = 600
)

func connections(ctx context.Context, w *World) error {
	from := client.Several(attackers, manyAddresses)
	var t tally
	var hold []func()
	conns := make(chan func(), manyAddresses*perAddress)
	hello := wire.AppendFrame(nil, &wire.ConnectRequest{TimeoutMS: 4000, Password: make([]byte, wire.PasswordBytes)})
	paced(ctx, w.n(manyAddresses*perAddress), dialsASecond, 32, func(ctx context.Context, i int) {
		c, err := from[i%len(from)].DialContext(ctx, "tcp", w.ZooKeeper)
		if err != nil {
			t.add("not connected")
			return
		}
		conns <- func() { _ = c.Close() }
		switch i % 3 {
		case 0:
			t.add("silent")
		case 1: // the handshake but for its last byte
			_, _ = c.Write(hello[:len(hello)-1]) // a server that has closed it shows in the meters
			t.add("half greeted")
		case 2: // a first frame of a megabyte, of which little comes
			_, _ = c.Write(append(binary.BigEndian.AppendUint32(nil, wire.MaxFrame), 0))
			t.add("with a large first frame announced")
		}
	})
	w.held(ctx)
	close(conns)
	for c := range conns {
		hold = append(hold, c)
	}
	for _, c := range hold {
		c()
	}
	w.note("connections: %s", &t)
	return nil
}

// The sizes of zk-frames.
const (
	announcers    = 400 // sessions that announce a large frame and send half of it
	frameSenders  = 16  // connections that send bad and large frames again and again
	framesASecond = 40
	largeWrites   = 4000 // requests of a megabyte, bad ones in between
)

func frames(ctx context.Context, w *World) error {
	from := sources()
	var t tally
	half := append(binary.BigEndian.AppendUint32(nil, wire.MaxFrame), make([]byte, wire.MaxFrame/2)...)
	for i := range w.n(announcers) {
		p, done, err := w.session(ctx, from[i%len(from)])
		if err != nil {
			t.add("not connected")
			continue
		}
		defer done()
		_ = p.Conn().SetWriteDeadline(time.Now().Add(time.Second)) // the server need not take it all
		_, _ = p.Conn().Write(half)
		t.add("half a frame of a megabyte")
	}
	bad := [][]byte{
		binary.BigEndian.AppendUint32(nil, 0x7fffffff), binary.BigEndian.AppendUint32(nil, 0xffffffff),
		binary.BigEndian.AppendUint32(nil, wire.MaxFrame+1), {0, 0, 0, 4, 0xde, 0xad, 0xbe, 0xef},
		wire.AppendFrame(nil, garbage{}),
	}
	paced(ctx, w.n(largeWrites), framesASecond, frameSenders, func(ctx context.Context, i int) {
		p, done, err := w.session(ctx, from[i%len(from)])
		if err != nil {
			t.add("not connected")
			return
		}
		defer done()
		p.Timeout = sessionTimeout
		if i%2 == 0 {
			a, _, err := p.Do(create(fmt.Sprintf("%s-large-%d", Root, i%frameSenders), make([]byte, wire.MaxFrame-200), zoo.Ephemeral))
			if err != nil {
				t.add("large frame cut off")
				return
			}
			t.add("large frame answered with " + a.Code.Error())
			closing(p)
			return
		}
		_ = p.Conn().SetWriteDeadline(time.Now().Add(time.Second))
		_, _ = p.Conn().Write(bad[i/2%len(bad)])
		if _, err := p.Recv(); err != nil {
			t.add("bad frame cut off")
		} else {
			t.add("bad frame answered")
		}
	})
	w.note("%s", &t)
	return nil
}

// garbage is a request that claims a list of two thousand million strings.
type garbage struct{}

// Append implements wire.Record.
func (garbage) Append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, 1)
	dst = binary.BigEndian.AppendUint32(dst, uint32(wire.OpSetWatches))
	dst = binary.BigEndian.AppendUint64(dst, 0)
	return binary.BigEndian.AppendUint32(dst, 0x7fffffff)
}
