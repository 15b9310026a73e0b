package conform

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// Limits of a script's text.
const (
	maxSteps  = 100_000
	maxAwait  = 1000
	maxStream = 1 << 21
)

// Parse parses a script: one step per line. A line that begins with # is a note on the step below it, one that begins
// with + a part of the multi above it. Empty and indented lines are ignored: recorded replies are indented.
func Parse(text string) (Script, error) {
	var s Script
	var note []string
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if said, ok := strings.CutPrefix(line, "#"); ok {
			note = append(note, said)
			continue
		}
		if line == "" || strings.IndexByte(" \t", line[0]) >= 0 {
			continue
		}
		steps, err := s.line(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", n, line, err)
		}
		if len(steps) > len(s) {
			steps[len(s)].Note, note = strings.Join(note, "\n"), nil
		}
		s = steps
		if len(s) > maxSteps {
			return nil, fmt.Errorf("line %d: more than %d steps", n, maxSteps)
		}
	}
	return s, nil
}

func (s Script) line(line string) (Script, error) {
	all, err := words(line)
	if err != nil {
		return s, err
	}
	if all[0] == "+" {
		return s, s.part(all[1:])
	}
	step, err := parseStep(all[0], all[1:])
	return append(s, step), err
}

// part adds a line to the multi above it.
func (s Script) part(all []string) error {
	if len(s) == 0 || s[len(s)-1].Kind != Ask || !isMulti(s[len(s)-1].Req.Op) {
		return fmt.Errorf("there is no multi above it")
	}
	if len(all) == 0 {
		return fmt.Errorf("the operation is missing")
	}
	op, ok := operationNamed(all[0])
	if !ok || isMulti(op) {
		return fmt.Errorf("%s is not an operation of a multi", all[0])
	}
	into := Step{Req: usual(op)}
	if err := into.fields(all[1:]); err != nil {
		return err
	}
	ops := &s[len(s)-1].Req.Ops
	*ops = append(*ops, into.Req)
	return nil
}

func isMulti(op wire.Op) bool { return op == wire.OpMulti || op == wire.OpMultiRead }

func parseStep(verb string, rest []string) (Step, error) {
	switch verb {
	case "--":
		return Step{Kind: Break}, none(rest)
	case "await":
		n, err := strconv.Atoi(strings.Join(rest, " "))
		if err != nil || n < 1 || n > maxAwait {
			return Step{}, fmt.Errorf("await needs a number from 1 to %d", maxAwait)
		}
		return Step{Kind: Await, N: n}, nil
	}
	if len(rest) == 0 || !isName(rest[0]) {
		return Step{}, fmt.Errorf("%s needs a connection's name, in lower case letters and digits", verb)
	}
	s := Step{Conn: rest[0]}
	rest = rest[1:]
	switch verb {
	case "connect", "expire", "starve":
		s.Kind = map[string]Kind{"connect": Connect, "expire": Expire, "starve": Starve}[verb]
		return s, s.hello(rest)
	case "drop":
		s.Kind = Drop
		return s, none(rest)
	case "frame", "stream", "shake":
		s.Kind = map[string]Kind{"frame": Frame, "stream": Stream, "shake": Shake}[verb]
		return s, s.hex(rest)
	case "raw":
		s.Kind = Raw
		return s, s.raw(rest)
	}
	op, ok := operationNamed(verb)
	if !ok {
		return s, fmt.Errorf("%s is not a step", verb)
	}
	s.Kind, s.Req = Ask, usual(op)
	return s, s.fields(rest)
}

func none(rest []string) error {
	if len(rest) > 0 {
		return fmt.Errorf("%s is one argument too many", rest[0])
	}
	return nil
}

func isName(s string) bool {
	for _, c := range s {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return s != "" && len(s) <= 16
}

// usual returns a request with the defaults that a line may omit.
func usual(op wire.Op) wire.Request {
	r := wire.Request{Op: op}
	for _, f := range fieldsOf(op) {
		if n, is := number(&r, f); n != nil {
			*n = is
		}
		if f == fieldACL {
			r.ACL = zoo.OpenACL()
		}
	}
	return r
}

func (s *Step) hex(rest []string) (err error) {
	if s.Bytes, err = hex.DecodeString(strings.Join(rest, "")); err == nil && len(s.Bytes) > maxStream {
		return fmt.Errorf("more than %d bytes", maxStream)
	}
	return err
}

// raw parses "OP HEX [xid=N]".
func (s *Step) raw(rest []string) error {
	if len(rest) == 0 {
		return fmt.Errorf("raw needs the number of an operation and the body in hex")
	}
	op, err := strconv.ParseInt(rest[0], 10, 32)
	if err != nil {
		return err
	}
	s.Req.Op = wire.Op(op)
	rest = rest[1:]
	if n := len(rest); n > 0 && strings.HasPrefix(rest[n-1], "xid=") {
		if err := parseInt32(rest[n-1][4:], &s.Req.Xid); err != nil {
			return err
		}
		rest = rest[:n-1]
	}
	return s.hex(rest)
}

func (s *Step) hello(rest []string) error {
	s.Hello.Timeout = usualTimeout(s.Kind)
	for _, word := range rest {
		key, value, _ := strings.Cut(word, "=")
		if err := s.helloField(key, value); err != nil {
			return fmt.Errorf("%s: %w", word, err)
		}
	}
	return nil
}

func (s *Step) helloField(key, value string) (err error) {
	h := &s.Hello
	switch key {
	case "session":
		if h.Session = value; !isName(value) {
			return fmt.Errorf("not a connection's name")
		}
	case "password":
		i := slices.Index(passwords(), value)
		if i < 0 {
			return fmt.Errorf("must be one of %v", passwords())
		}
		h.Password = Password(i)
	case "readonly":
		i := slices.Index(readOnlys(), value)
		if i < 0 {
			return fmt.Errorf("must be one of %v", readOnlys())
		}
		h.ReadOnly = ReadOnly(i)
	case "timeout":
		return parseInt32(value, &h.Timeout)
	case "version":
		return parseInt32(value, &h.Version)
	case "seen":
		h.Seen, s.Since, err = parseZxid(value)
	default:
		return fmt.Errorf("a handshake has no such field")
	}
	return err
}

func parseZxid(s string) (z int64, since bool, err error) {
	s, since = strings.CutPrefix(s, "@")
	z, err = strconv.ParseInt(s, 10, 64)
	return z, since, err
}

func parseInt32(s string, into *int32) error {
	n, err := strconv.ParseInt(s, 10, 32)
	*into = int32(n)
	return err
}

// fields parses what follows an operation: its path, and key=value.
func (s *Step) fields(rest []string) error {
	allowed := fieldsOf(s.Req.Op)
	if slices.Contains(allowed, fieldPath) {
		if len(rest) == 0 {
			return fmt.Errorf("the path is missing")
		}
		text, err := unquote(rest[0])
		if err != nil {
			return err
		}
		s.Req.Path, rest = text, rest[1:]
	}
	for _, word := range rest {
		key, value, _ := strings.Cut(word, "=")
		if key == "xid" {
			if err := parseInt32(value, &s.Req.Xid); err != nil {
				return err
			}
			continue
		}
		i := slices.IndexFunc(allowed, func(f field) bool {
			return strings.TrimSuffix(string(f), "*") == key &&
				f != fieldPath
		})
		// The data of setWatches is a list.
		if i < 0 {
			return fmt.Errorf("%s has no %s", s.Req.Op, key)
		}
		if err := s.field(allowed[i], value); err != nil {
			return fmt.Errorf("%s: %w", word, err)
		}
	}
	return nil
}

func (s *Step) field(f field, value string) (err error) {
	r := &s.Req
	switch f {
	case fieldData:
		r.Data, err = parseData(value)
	case fieldAuth:
		r.Auth, err = parseData(value)
	case fieldACL:
		r.ACL, err = parseACL(value)
	case fieldWatch:
		r.Watch = true
	case fieldScheme:
		r.Scheme, err = unquote(value)
	case fieldZxid:
		r.RelativeZxid, s.Since, err = parseZxid(value)
	case fieldTTL:
		r.TTL, err = strconv.ParseInt(value, 10, 64)
	default:
		if n, _ := number(r, f); n != nil {
			return parseInt32(value, n)
		}
		if list := watchList(r, f); list != nil {
			*list, err = parseList(value)
		}
	}
	return err
}
