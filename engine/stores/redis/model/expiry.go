package model

import (
	"math"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/stores/redis/resp"
)

// expireIn is EXPIRE or PEXPIRE.
func expireIn(name string, unit time.Duration) func(*Server, *session, []string) resp.Value {
	return func(s *Server, _ *session, args []string) resp.Value {
		if len(args) > 3 {
			return resp.Err("ERR Unsupported option " + args[3])
		}
		n, err := strconv.ParseInt(args[2], 10, 64)
		if err != nil {
			return resp.Err(notInteger)
		}
		per := unit.Milliseconds()
		if n > (math.MaxInt64-max(s.moment.millis(), 1))/per || n < math.MinInt64/per {
			return resp.Err("ERR invalid expire time in '" + name + "' command")
		}
		return s.expireKey(args[1], min(s.moment.millis()+n*per, farthest))
	}
}

func expireAt(s *Server, _ *session, args []string) resp.Value {
	n, err := strconv.ParseInt(args[2], 10, 64)
	switch {
	case len(args) > 3:
		return resp.Err("ERR Unsupported option " + args[3])
	case err != nil:
		return resp.Err(notInteger)
	case n > farthest:
		return resp.Err("ERR invalid expire time in 'pexpireat' command")
	}
	return s.expireKey(args[1], n)
}

// expireKey makes a key expire at a time. A time in the past deletes the key; at a replica only the primary does that.
func (s *Server) expireKey(key string, ends int64) resp.Value {
	i := s.find(key)
	switch {
	case i == nil:
		return resp.Int(0)
	case ends <= s.moment.millis() && !s.replication.replica:
		s.remove(key, i)
	default:
		s.endAt(key, i, max(ends, 1))
	}
	return resp.Int(1)
}

func persist(s *Server, _ *session, args []string) resp.Value {
	i := s.find(args[1])
	if i == nil || i.ends == 0 {
		return resp.Int(0)
	}
	s.endAt(args[1], i, 0)
	return resp.Int(1)
}

// ttl is TTL, which rounds to seconds, or PTTL.
func ttl(unit time.Duration) func(*Server, *session, []string) resp.Value {
	return func(s *Server, _ *session, args []string) resp.Value {
		i := s.find(args[1])
		switch {
		case i == nil:
			return resp.Int(-2)
		case i.ends == 0:
			return resp.Int(-1)
		}
		left := max(i.ends-s.moment.millis(), 0)
		if unit == time.Second {
			left = (left + 500) / 1000
		}
		return resp.Int(left)
	}
}
