package model

import (
	"cmp"
	"strconv"

	"github.com/zkviz/zkviz/engine/stores/redis/resp"
)

// SCAN returns keys in the order of a hash of their names, and its cursor is the hash from which it continues. So a key
// that exists all the time is returned exactly once, whatever comes and goes meanwhile.

// Limits of SCAN and KEYS.
const (
	mostScanned = 1000     // keys in one SCAN; more if hashes collide
	mostMatched = 50 << 20 // bytes matched against a pattern in one command
	tooMuch     = "ERR the pattern is too much work for this node: name a shorter one"
)

// hashed is a key and its hash.
type hashed struct {
	hash uint64
	key  string
}

func byHash(a, b hashed) int {
	return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.key, b.key))
}

// scanOptions holds the words after a SCAN's cursor.
type scanOptions struct {
	match, typed string
	count        int
}

func parseScan(args []string) (o scanOptions, err string) {
	o = scanOptions{match: "*", count: 10}
	for n := 2; n < len(args); n += 2 {
		if n+1 == len(args) {
			return o, syntaxError
		}
		switch upper(args[n]) {
		case "MATCH":
			o.match = args[n+1]
		case "TYPE":
			o.typed = args[n+1]
		case "COUNT":
			count, err := strconv.ParseInt(args[n+1], 10, 64)
			switch {
			case err != nil:
				return o, notInteger
			case count < 1:
				return o, syntaxError
			}
			o.count = int(min(count, mostScanned))
		default:
			return o, syntaxError
		}
	}
	return o, ""
}

func scan(s *Server, _ *session, args []string) resp.Value {
	from, err := strconv.ParseUint(args[1], 10, 64)
	if err != nil {
		return resp.Err("ERR invalid cursor")
	}
	o, bad := parseScan(args)
	if bad != "" {
		return resp.Err(bad)
	}
	list, next := s.keys.scan(from, o.count)
	m, found := matcher{pattern: o.match, left: mostMatched}, resp.List()
	for _, x := range list {
		if !m.matches(x.key) {
			continue
		}
		if i := s.find(x.key); i != nil && (o.typed == "" || upper(o.typed) == upper(i.kind())) {
			found.List = append(found.List, resp.String(x.key))
		}
	}
	if m.left < 0 {
		return resp.Err(tooMuch)
	}
	return resp.List(resp.String(strconv.FormatUint(next, 10)), found)
}

// enough returns how many keys to keep so that keys with the last one's hash stay together.
func enough(list []hashed, count int) int {
	if len(list) <= count {
		return len(list)
	}
	n := len(list)
	for n > count && list[n-1].hash != list[count-1].hash {
		n--
	}
	return n
}

func keysLike(s *Server, _ *session, args []string) resp.Value {
	m, found := matcher{pattern: args[1], left: mostMatched}, resp.List()
	for _, key := range s.keys.sorted() {
		if m.matches(key) && s.find(key) != nil {
			found.List = append(found.List, resp.String(key))
		}
	}
	if m.left < 0 {
		return resp.Err(tooMuch)
	}
	return found
}
