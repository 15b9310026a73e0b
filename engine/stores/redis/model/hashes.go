package model

import (
	"math"
	"slices"
	"strconv"

	"github.com/zkviz/zkviz/engine/stores/redis/resp"
)

// MaxFields is the maximum number of fields of a hash.
const MaxFields = 10_000

// hash has fields in insertion order.
type hash struct {
	fields map[string]string
	order  []string
}

func (h *hash) clone() *hash {
	if h == nil {
		return nil
	}
	c := &hash{make(map[string]string, len(h.fields)), slices.Clone(h.order)}
	for f, v := range h.fields {
		c.fields[f] = v
	}
	return c
}

// equal reports whether two hashes have the same fields.
func (h *hash) equal(other *hash) bool {
	if h == nil || other == nil {
		return h == other
	}
	for _, f := range h.order {
		if v, there := other.fields[f]; !there || v != h.fields[f] {
			return false
		}
	}
	return len(h.order) == len(other.order)
}

// hashAt returns the hash of a key, or nil. The error is "" unless the key has another type.
func (s *Server) hashAt(key string) (*item, string) {
	i := s.find(key)
	if i != nil && i.hash == nil {
		return nil, wrongType
	}
	return i, ""
}

// setFields sets fields, and returns how many are new.
func (s *Server) setFields(key string, i *item, pairs []string) (resp.Value, bool) {
	if i == nil {
		i = &item{hash: &hash{fields: make(map[string]string)}}
	}
	if len(i.hash.order)+len(pairs)/2 > MaxFields {
		return resp.Err(outOfMemory), false
	}
	if s.keys.items[key] != i {
		s.put(key, i)
	}
	n := int64(0)
	for ; len(pairs) > 0; pairs = pairs[2:] {
		f, v := pairs[0], pairs[1]
		was, there := i.hash.fields[f]
		grown := len(v) - len(was)
		if !there {
			n++
			i.hash.order = append(i.hash.order, f)
			grown += elementOverhead + len(f)
		}
		i.hash.fields[f] = v
		s.keys.grow(i, grown)
	}
	i.owner = s.moment.by
	s.emitValue(key, i)
	return resp.Int(n), true
}

func hSet(s *Server, _ *session, args []string) resp.Value {
	if len(args)%2 != 0 {
		return resp.Err("ERR wrong number of arguments for 'hset' command")
	}
	i, bad := s.hashAt(args[1])
	if bad != "" {
		return resp.Err(bad)
	}
	v, ok := s.setFields(args[1], i, args[2:])
	if ok {
		s.replication.propagate(args[1], args...)
	}
	return v
}

func hSetNX(s *Server, k *session, args []string) resp.Value {
	i, bad := s.hashAt(args[1])
	if bad != "" {
		return resp.Err(bad)
	}
	if i != nil {
		if _, there := i.hash.fields[args[2]]; there {
			return resp.Int(0)
		}
	}
	return hSet(s, k, append([]string{"HSET"}, args[1:]...))
}

func hGet(s *Server, _ *session, args []string) resp.Value {
	i, bad := s.hashAt(args[1])
	if bad != "" {
		return resp.Err(bad)
	}
	return i.field(args[2])
}

func hMGet(s *Server, _ *session, args []string) resp.Value {
	i, bad := s.hashAt(args[1])
	if bad != "" {
		return resp.Err(bad)
	}
	out := resp.List()
	for _, f := range args[2:] {
		out.List = append(out.List, i.field(f))
	}
	return out
}

// hList is HGETALL, HKEYS or HVALS.
func hList(names, values bool) func(*Server, *session, []string) resp.Value {
	return func(s *Server, _ *session, args []string) resp.Value {
		i, bad := s.hashAt(args[1])
		if bad != "" {
			return resp.Err(bad)
		}
		out := resp.List()
		if i == nil {
			return out
		}
		for _, f := range i.hash.order {
			if names {
				out.List = append(out.List, resp.String(f))
			}
			if values {
				out.List = append(out.List, resp.String(i.hash.fields[f]))
			}
		}
		return out
	}
}

// hDel deletes fields, and the key with its last field.
func hDel(s *Server, _ *session, args []string) resp.Value {
	key := args[1]
	i, bad := s.hashAt(key)
	if bad != "" {
		return resp.Err(bad)
	}
	if i == nil {
		return resp.Int(0)
	}
	n := int64(0)
	for _, f := range args[2:] {
		v, there := i.hash.fields[f]
		if !there {
			continue
		}
		n++
		delete(i.hash.fields, f)
		i.hash.order = slices.DeleteFunc(i.hash.order, func(o string) bool { return o == f })
		s.keys.grow(i, -elementOverhead-len(f)-len(v))
	}
	switch {
	case len(i.hash.order) == 0:
		s.remove(key, i)
	case n > 0:
		s.emitValue(key, i)
		s.replication.propagate(key, args...)
	}
	return resp.Int(n)
}

func hExists(s *Server, _ *session, args []string) resp.Value {
	i, bad := s.hashAt(args[1])
	switch {
	case bad != "":
		return resp.Err(bad)
	case i.field(args[2]).Kind == resp.Bulk:
		return resp.Int(1)
	}
	return resp.Int(0)
}

func hLen(s *Server, _ *session, args []string) resp.Value {
	i, bad := s.hashAt(args[1])
	switch {
	case bad != "":
		return resp.Err(bad)
	case i == nil:
		return resp.Int(0)
	}
	return resp.Int(int64(len(i.hash.order)))
}

func hIncrBy(s *Server, _ *session, args []string) resp.Value {
	by, err := strconv.ParseInt(args[3], 10, 64)
	if err != nil {
		return resp.Err(notInteger)
	}
	i, bad := s.hashAt(args[1])
	if bad != "" {
		return resp.Err(bad)
	}
	n := int64(0)
	if was := i.field(args[2]); was.Kind == resp.Bulk {
		if n, err = strconv.ParseInt(was.Str, 10, 64); err != nil || strconv.FormatInt(n, 10) != was.Str {
			return resp.Err("ERR hash value is not an integer")
		}
	}
	if by > 0 && n > math.MaxInt64-by || by < 0 && n < math.MinInt64-by {
		return resp.Err("ERR increment or decrement would overflow")
	}
	n += by
	if v, ok := s.setFields(args[1], i, []string{args[2], strconv.FormatInt(n, 10)}); !ok {
		return v
	}
	s.replication.propagate(args[1], args...)
	return resp.Int(n)
}
