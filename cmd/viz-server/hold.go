package main

import (
	"fmt"
	"time"

	"github.com/zkviz/zkviz/engine/zoo"
)

// settled is how the hold that lasts until all others wait again is written.
const settled = "settled"

const defaultSeed = 1

// holdFlag is a duration, or settled.
type holdFlag time.Duration

// UnmarshalText reads what was given on the command line.
func (h *holdFlag) UnmarshalText(text []byte) error {
	if string(text) == settled {
		*h = holdFlag(zoo.UntilSettled)
		return nil
	}
	d, err := time.ParseDuration(string(text))
	if err != nil || d < 0 {
		return fmt.Errorf("%q is not a duration like 5s, or %q", text, settled)
	}
	*h = holdFlag(max(d, 1)) // a scenario's zero stands for the default: 1ns is as short as a hold can be
	return nil
}

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
