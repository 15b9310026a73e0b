package trace

import (
	"errors"
	"fmt"

	"github.com/zkviz/zkviz/engine/base/jsontext"
	"github.com/zkviz/zkviz/engine/event"
)

// appendHeader appends the first line.
func appendHeader(dst []byte, h event.Header) []byte {
	dst = fmt.Appendf(dst, `{"format":%q,"version":%d`, Format, Version)
	return append(event.AppendHeader(dst, h), '}')
}

// errNoHeader reports that a line was not written by appendHeader.
var errNoHeader = errors.New("the header is missing")

// parseHeader reads the first line and returns its header and version.
func parseHeader(line []byte) (event.Header, int, error) {
	d := jsontext.Decoder{Text: string(line)}
	values, err := d.Object()
	if err != nil || d.More() || !isFormat(values["format"]) {
		return event.Header{}, 0, errNoHeader
	}
	version := int64(0)
	if text, ok := values["version"]; ok {
		if version, err = (&jsontext.Decoder{Text: text}).Whole(32); err != nil {
			return event.Header{}, 0, errNoHeader
		}
	}
	if version < 1 || version > Version {
		return event.Header{}, 0, fmt.Errorf("the trace has format version %d; this program reads versions 1 to %d",
			version, Version)
	}
	h, err := event.ParseHeader(values)
	if err == nil {
		err = validate(h)
	}
	if err != nil {
		return event.Header{}, 0, fmt.Errorf("trace line 1: %w", err)
	}
	return h, int(version), nil
}

func isFormat(text string) bool {
	name, err := (&jsontext.Decoder{Text: text}).Quoted()
	return err == nil && name == Format
}

// validate rejects values that no run has.
func validate(h event.Header) error {
	switch {
	case h.Clients < 0 || h.Clients > event.MaxActor:
		return fmt.Errorf("clients must be between 0 and %[2]d, not %[1]d", h.Clients, event.MaxActor)
	case h.Rounds < 0:
		return fmt.Errorf("rounds must not be negative, but are %d", h.Rounds)
	case h.Hold < -1: // program.UntilSettled
		return fmt.Errorf("the hold must not be negative, but is %s", h.Hold)
	case h.SessionTimeout < 0:
		return fmt.Errorf("the session timeout must not be negative, but is %s", h.SessionTimeout)
	case h.Latency < 0:
		return fmt.Errorf("the latency must not be negative, but is %s", h.Latency)
	}
	if n := len(h.Promises) + len(h.Limits); n > event.MaxRules {
		return fmt.Errorf("there must be at most %[2]d rules, not %[1]d", n, event.MaxRules)
	}
	if n := len(h.Systems); n > event.MaxSystems {
		return fmt.Errorf("there must be at most %[2]d systems, not %[1]d", n, event.MaxSystems)
	}
	for _, s := range h.Systems {
		if s.Servers < 0 || s.Servers > event.MaxServers {
			return fmt.Errorf("a system must have between 0 and %[2]d servers, not %[1]d", s.Servers, event.MaxServers)
		}
		if n := len(s.Addresses); n > event.MaxServers {
			return fmt.Errorf("a system must have at most %[2]d addresses, not %[1]d", n, event.MaxServers)
		}
	}
	return nil
}
