package servers

import (
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
