package kit

import (
	"fmt"
	"time"

	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/stores/redis"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// RedisKey is a Redis key used as a lock: until it expires, it belongs to the client whose token is its value.
type RedisKey struct {
	*redis.Client
	Name  string
	Lease time.Duration
	Polls recipe.Poll // how a client that was refused tries again

	turns int // of the client so far
}

// NewRedisKey returns the lock of a run, with a connection of its own.
func NewRedisKey(w systems.World, p recipe.Params) *RedisKey {
	return &RedisKey{Client: redis.New(w.Connect(1)), Name: p.Root + "/lock", Lease: p.Lease, Polls: p.Polling()}
}

// Token returns a unique value, different also in each later turn of the same client.
func (k *RedisKey) Token(c program.Process) string {
	k.turns++
	return fmt.Sprintf("%s#%d", c.Name(), k.turns)
}

// Take sets the key if it doesn't exist. It returns nil if it is somebody else's.
func (k *RedisKey) Take(c program.Process, token string) (*Lease, error) {
	asked := c.Now()
	got, err := k.SetNXPX(k.Name, token, k.Lease)
	for Unknown(err) {
		// The key may be set: perhaps only the reply was lost. Ask again, and also for the value that was there.
		now, there := c.Now(), ""
		there, err = k.SetNXPXGet(k.Name, token, k.Lease)
		if err == nil && there == "" {
			asked = now
		}
		got = there == "" || there == token
	}
	if err != nil || !got {
		return nil, err
	}
	return NewLease(program.Subject{Path: k.Name}, token, k.Lease, asked), nil
}
