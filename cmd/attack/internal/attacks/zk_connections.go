package attacks

import (
	"context"
	"encoding/binary"

	"github.com/zkviz/zkviz/cmd/attack/internal/client"
	"github.com/zkviz/zkviz/engine/wire"
)

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
