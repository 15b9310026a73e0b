package run

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/engine/zoo"
)

// MaxQuery is the longest query of a scenario, in bytes: short enough for every browser and chat.
const MaxQuery = 2048

// settledHold is how zoo.UntilSettled is written.
const settledHold = "settled"

// Query writes the scenario as the query of an address, so that ParseQuery gives the very same run: the
// timing of its messages is in it, but neither its root nor its limits. It is longer than MaxQuery if there
// are too many faults.
func (s Scenario) Query() string {
	s = s.WithDefaults()
	q := "recipe=" + url.QueryEscape(s.Recipe)
	for _, p := range [][2]string{
		{"clients", strconv.Itoa(s.Clients)},
		{"rounds", strconv.Itoa(s.Rounds)},
		{"seed", strconv.FormatUint(s.Seed, 10)},
		{"hold", s.holdText()},
		{"session-timeout", s.SessionTimeout.String()},
		{"latency", s.Latency.String()},
		{"jitter", s.Jitter.String()},
		{"stagger", max(s.Stagger, 0).String()},
	} {
		q += "&" + p[0] + "=" + url.QueryEscape(p[1])
	}
	for _, f := range s.Faults {
		q += "&fault=" + url.QueryEscape(f.String())
	}
	return q
}

// ParseQuery reads a scenario that somebody wrote as a query, and validates it. What the query does not say
// is zero, as WithDefaults wants it, but for the seed, which is 1. A parameter that it does not know, or
// gets twice, is an error: a link with a slip in it must not show another run.
func ParseQuery(query string) (Scenario, error) {
	if len(query) > MaxQuery {
		return Scenario{}, fmt.Errorf("a scenario's query has at most %d bytes, not %d", MaxQuery, len(query))
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return Scenario{}, fmt.Errorf("the scenario's query %q is not one: %w", clip(query), err)
	}
	s := Scenario{Seed: 1}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if err := s.set(name, values[name]); err != nil {
			return Scenario{}, err
		}
	}
	return s, s.WithDefaults().Validate()
}

// set reads one parameter.
func (s *Scenario) set(name string, given []string) error {
	if name == "fault" {
		return s.setFaults(given)
	}
	if len(given) > 1 {
		return fmt.Errorf("the scenario has %s %d times", clip(name), len(given))
	}
	v := given[0]
	switch name {
	case "recipe":
		s.Recipe = v
	case "clients":
		return setCount(&s.Clients, name, v)
	case "rounds":
		return setCount(&s.Rounds, name, v)
	case "seed":
		n, err := strconv.ParseUint(v, 10, 64)
		if err != nil {
			return wrong(name, v, "a whole number from 0 on")
		}
		s.Seed = n
	case "hold":
		return s.setHold(v)
	case "session-timeout":
		return setTime(&s.SessionTimeout, name, v)
	case "latency":
		return setFlight(&s.Latency, name, v)
	case "jitter":
		return setFlight(&s.Jitter, name, v)
	case "stagger":
		err := setTime(&s.Stagger, name, v)
		if s.Stagger == 0 {
			s.Stagger = -1 // none, where zero would stand for the default
		}
		return err
	default:
		return fmt.Errorf("a scenario has no parameter %q", clip(name))
	}
	return nil
}

func (s *Scenario) setFaults(given []string) error {
	if len(given) > MaxFaults {
		return fmt.Errorf("a run takes up to %d faults, not %d", MaxFaults, len(given))
	}
	list, err := fault.ParseAll(given)
	s.Faults = list
	return err
}

func (s *Scenario) setHold(v string) error {
	if v == settledHold {
		s.Hold = zoo.UntilSettled
		return nil
	}
	err := setTime(&s.Hold, "hold", v)
	s.Hold = max(s.Hold, 1) // zero stands for the default: 1ns is as short as a hold can be
	return err
}

// setCount reads a number that is at least 1, since zero would stand for the default.
func setCount(to *int, name, v string) error {
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 {
		return wrong(name, v, "a whole number from 1 on")
	}
	*to = n
	return nil
}

func setTime(to *time.Duration, name, v string) error {
	d, err := time.ParseDuration(v)
	if err != nil || d < 0 {
		return wrong(name, v, "a duration like 5s")
	}
	*to = d
	return nil
}

// setFlight reads a time that is 1ns at least, since zero would stand for the default.
func setFlight(to *time.Duration, name, v string) error {
	err := setTime(to, name, v)
	*to = max(*to, 1)
	return err
}

func wrong(name, v, want string) error {
	return fmt.Errorf("%s=%q is not %s", name, clip(v), want)
}
