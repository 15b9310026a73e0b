package tap_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/observe/tap"
	"github.com/zkviz/zkviz/engine/testing/port"
)

// backend is a server for tests that hands over its connections.
func backend(t testing.TB) (addr string, conns <-chan *net.TCPConn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	all := make(chan *net.TCPConn)
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			all <- c.(*net.TCPConn)
		}
	}()
	return ln.Addr().String(), all
}

// both returns the two ends of a connection through a tap.
func both(t testing.TB, cfg tap.Config) (client, server *net.TCPConn, s *tap.Tap) {
	t.Helper()
	addr, conns := backend(t)
	cfg.Servers = []string{addr}
	s = serve(t, cfg)
	c, err := net.Dial("tcp", s.Place())
	if err != nil {
		t.Fatal(err)
	}
	client, server = c.(*net.TCPConn), <-conns
	for _, c := range []*net.TCPConn{client, server} {
		_ = c.SetDeadline(time.Now().Add(waitLimit))
		t.Cleanup(func() { _ = c.Close() })
	}
	return client, server, s
}

// chunks writes bytes in random pieces and closes its half of the connection.
func chunks(to *net.TCPConn, b []byte, random *rand.Rand) error {
	for len(b) > 0 {
		n := 1 + random.IntN(min(len(b), 1<<random.IntN(17)))
		if _, err := to.Write(b[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	return to.CloseWrite()
}

// stream returns random bytes: some are frames, some of these too long, and all are nonsense.
func stream(random *rand.Rand, frames bool) (b []byte) {
	for range random.IntN(40) {
		n := random.IntN(1 << random.IntN(17))
		if frames {
			b = binary.BigEndian.AppendUint32(b, uint32(n))
		}
		for range n {
			b = append(b, byte(random.Uint32()))
		}
	}
	return b
}

// TestBytesAreUntouched lets both sides send anything in any pieces. Both receive exactly that, to the last byte
// before the other side closes its half.
func TestBytesAreUntouched(t *testing.T) {
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 1))
		client, server, _ := both(t, tap.Config{})
		var all sync.WaitGroup
		for _, ends := range [][2]*net.TCPConn{{client, server}, {server, client}} {
			sent := stream(random, seed%2 == 0)
			own := rand.New(rand.NewPCG(random.Uint64(), 2))
			all.Go(func() {
				if err := chunks(ends[0], sent, own); err != nil {
					t.Errorf("seed %d: %v", seed, err)
				}
			})
			all.Go(func() {
				got, err := io.ReadAll(ends[1])
				if err != nil || !bytes.Equal(got, sent) {
					t.Errorf("seed %d: %d bytes of %d came, %v", seed, len(got), len(sent), err)
				}
			})
		}
		all.Wait()
	}
}

// TestHalfClosed checks that a side can continue after the other has closed its half.
func TestHalfClosed(t *testing.T) {
	for _, clientFirst := range []bool{true, false} {
		a, b, _ := both(t, tap.Config{})
		if !clientFirst {
			a, b = b, a
		}
		_, _ = a.Write([]byte("last words"))
		_ = a.CloseWrite()
		if got, err := io.ReadAll(b); string(got) != "last words" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		for range 3 { // long after
			if _, err := b.Write([]byte("answer")); err != nil {
				t.Fatal(err)
			}
			got := make([]byte, 6)
			if _, err := io.ReadFull(a, got); err != nil || string(got) != "answer" {
				t.Errorf("%q, %v", got, err)
			}
		}
		_ = b.Close()
		if got, err := io.ReadAll(a); len(got) != 0 || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
}

// TestResets checks that a reset on one side resets the other.
func TestResets(t *testing.T) {
	for _, clientFirst := range []bool{true, false} {
		a, b, _ := both(t, tap.Config{})
		if !clientFirst {
			a, b = b, a
		}
		_, _ = a.Write([]byte{1})
		if _, err := io.ReadFull(b, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		_ = a.SetLinger(0)
		_ = a.Close()
		if _, err := b.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("the other side reads %v", err)
		}
	}
}

// TestSlowSide lets one side not read while the other writes. The data waits and nothing is lost. The other
// direction continues meanwhile.
func TestSlowSide(t *testing.T) {
	client, server, _ := both(t, tap.Config{})
	sent := bytes.Repeat([]byte("0123456789abcdef"), 1<<20) // more than all buffers on the way hold
	done := make(chan error, 1)
	go func() {
		_, err := client.Write(sent)
		done <- errors.Join(err, client.CloseWrite())
	}()
	for range 100 {
		if _, err := server.Write([]byte{7}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(client, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case err := <-done:
		t.Fatalf("all of it was taken by nobody: %v", err)
	default:
	}
	got, err := io.ReadAll(server)
	if err := errors.Join(err, <-done); err != nil || !bytes.Equal(got, sent) {
		t.Errorf("%d bytes of %d came, %v", len(got), len(sent), err)
	}
}

// TestNoServer checks that a client's connection breaks if no server is in reach, and that the reason is reported.
func TestNoServer(t *testing.T) {
	trouble := make(chan error, 1)
	s := serve(t, tap.Config{Servers: []string{port.Addr(t)}, Trouble: func(err error) { trouble <- err }})
	c, err := net.Dial("tcp", s.Place())
	if err == nil {
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(waitLimit))
		_, err = c.Read(make([]byte, 1))
	}
	if !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the client finds %v", err)
	}
	if err := <-trouble; !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("the operator is told %v", err)
	}
}

// TestTooManyClients refuses a client beyond the limit, until another has left.
func TestTooManyClients(t *testing.T) {
	addr, conns := backend(t)
	trouble := make(chan error, 10)
	s := serve(t, tap.Config{Servers: []string{addr}, Conns: 1, Trouble: func(err error) { trouble <- err }})
	first, err := net.Dial("tcp", s.Place())
	if err != nil {
		t.Fatal(err)
	}
	server := <-conns
	second, err := net.Dial("tcp", s.Place())
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	_ = second.SetDeadline(time.Now().Add(waitLimit))
	if n, err := second.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("the second reads %d bytes, %v", n, err)
	}
	if <-trouble == nil || s.Figures().TurnedAway != 1 {
		t.Errorf("the operator is told nothing")
	}
	_ = first.Close()
	_ = server.Close()
	for late := time.Now().Add(waitLimit); ; { // until its place is free
		c, err := net.Dial("tcp", s.Place())
		if err != nil {
			t.Fatal(err)
		}
		select {
		case server := <-conns:
			_ = server.Close()
			_ = c.Close()
			return
		case <-trouble:
			_ = c.Close()
		}
		if time.Now().After(late) {
			t.Fatal("nobody is let in any more")
		}
	}
}
