package servers

import (
	"fmt"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/apache"
	"github.com/zkviz/zkviz/engine/conform"
	"github.com/zkviz/zkviz/engine/embed"
)

// Embedded is the embedded server, in this process.
func Embedded(check time.Duration) conform.Target {
	return conform.Target{Start: func() (string, func(), error) {
		s, err := embed.Listen(embed.Config{
			Tick: Tick, MaxTimeout: apache.MaxSession, MaxConnsPerAddr: -1, ContainerCheck: check, Seed: 1,
		})
		if err != nil {
			return "", nil, err
		}
		return s.Addr().String(), func() { _ = s.Close() }, nil // it keeps no data that could be lost
	}}
}

func millis(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// Record plays a script on a fresh server and writes it down with its answers.
func Record(t conform.Target, text string) (string, error) {
	s, err := conform.Parse(text)
	if err != nil {
		return "", err
	}
	addr := t.Addr
	if t.Start != nil {
		var end func()
		if addr, end, err = t.Start(); err != nil {
			return "", err
		}
		defer end()
	}
	p, err := conform.NewPlayer(addr)
	if err != nil {
		return "", fmt.Errorf("the server at %s: %w", addr, err)
	}
	defer p.Close()
	rounds, err := p.Play(s)
	return conform.Record(rounds), err
}
