package model

import (
	"slices"

	"github.com/zkviz/zkviz/engine/stores/redis"
	"github.com/zkviz/zkviz/engine/stores/redis/resp"
)

// pubsub holds the subscriptions.
type pubsub struct {
	subscribers map[string][]*session // by channel
}

// join adds a connection to a channel.
func (p *pubsub) join(channel string, k *session) {
	k.channels = append(k.channels, channel)
	p.subscribers[channel] = append(p.subscribers[channel], k)
}

// leaveAll ends a connection's subscriptions.
func (p *pubsub) leaveAll(k *session) {
	for _, c := range k.channels {
		p.leave(c, k)
	}
	k.channels = nil
}

// leave removes a connection from a channel.
func (p *pubsub) leave(channel string, k *session) {
	list := slices.DeleteFunc(p.subscribers[channel], func(o *session) bool { return o == k })
	if p.subscribers[channel] = list; len(list) == 0 {
		delete(p.subscribers, channel)
	}
}

func publish(s *Server, _ *session, args []string) resp.Value {
	channel, message := args[1], args[2]
	for _, k := range s.pubsub.subscribers[channel] {
		k.link.Push(redis.Message(channel, message), s.moment.cause)
	}
	s.replication.propagate(channel, args...)
	return resp.Int(int64(len(s.pubsub.subscribers[channel])))
}

// subscribe replies as Redis does, with the channel and the number of subscriptions.
func subscribe(s *Server, k *session, args []string) resp.Value {
	channel := args[1]
	switch {
	case len(args) > 2:
		return resp.Err(oneChannel)
	case slices.Contains(k.channels, channel):
	case len(k.channels) == MaxChannels || len(channel)+namesOf(k.channels) > MaxNames:
		return resp.Err(outOfMemory)
	default:
		s.pubsub.join(channel, k)
	}
	return resp.List(resp.String("subscribe"), resp.String(channel), resp.Int(int64(len(k.channels))))
}

// namesOf returns the size of the channels' names in bytes.
func namesOf(channels []string) (n int) {
	for _, c := range channels {
		n += len(c)
	}
	return n
}

// unsubscribe leaves one channel: the named one, or the last.
func unsubscribe(s *Server, k *session, args []string) resp.Value {
	channel := resp.Value{}
	switch {
	case len(args) > 2:
		return resp.Err(oneChannel)
	case len(args) == 2:
		channel = resp.String(args[1])
	case len(k.channels) > 0:
		channel = resp.String(k.channels[len(k.channels)-1])
	}
	if channel.Kind == resp.Bulk {
		s.pubsub.leave(channel.Str, k)
		k.channels = slices.DeleteFunc(k.channels, func(c string) bool { return c == channel.Str })
	}
	return resp.List(resp.String("unsubscribe"), channel, resp.Int(int64(len(k.channels))))
}
