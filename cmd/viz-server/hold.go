package main

import (
	"time"

	"github.com/zkviz/zkviz/engine/zoo"
)

// holdText is the hold in words, after "each client holds ".
func holdText(d time.Duration) string {
	switch {
	case d == zoo.UntilSettled:
		return "until all others wait again"
	case d <= 1:
		return "for no time"
	}
	return "for " + d.String()
}
