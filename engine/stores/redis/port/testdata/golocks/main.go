// Command golocks does what the locks of redislock and redsync do, at the Redis whose address is given, and prints what
// comes of it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
)

const long = 10 * time.Minute

func main() {
	client := redis.NewClient(&redis.Options{Addr: os.Args[1], Protocol: 2})
	ctx := context.Background()
	if err := client.Ping(ctx).Err(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	useRedislock(ctx, client)
	useRedsync(ctx, client)
	plain(ctx, client)
}

// useRedislock has two clients want a lock of redislock.
func useRedislock(ctx context.Context, client *redis.Client) {
	a, b := redislock.New(client), redislock.New(client)
	lock, err := a.Obtain(ctx, "redislock", long, nil)
	fmt.Println("redislock: a obtains it:", err)
	_, err = b.Obtain(ctx, "redislock", long, nil)
	fmt.Println("b is refused:", errors.Is(err, redislock.ErrNotObtained))
	left, err := lock.TTL(ctx)
	fmt.Println("a has it for long:", left > long/2, err)
	fmt.Println("a refreshes it:", lock.Refresh(ctx, 2*long, nil))
	left, err = lock.TTL(ctx)
	fmt.Println("a has it for longer:", left > long, err)
	again, err := b.Obtain(ctx, "redislock", long, &redislock.Options{Token: lock.Token()})
	fmt.Println("b obtains it with the token of a:", err, again.Key())
	fmt.Println("a releases it:", lock.Release(ctx))
	fmt.Println("a releases it again:", errors.Is(lock.Release(ctx), redislock.ErrLockNotHeld))
	left, err = lock.TTL(ctx)
	fmt.Println("a has it no more:", left, err)
	fmt.Println("a refreshes it no more:", errors.Is(lock.Refresh(ctx, long, nil), redislock.ErrNotObtained))
	next, err := b.Obtain(ctx, "redislock", long, &redislock.Options{Metadata: "whose"})
	fmt.Println("b obtains it:", err, next.Metadata())
	fmt.Println("b releases it:", next.Release(ctx))
}

// useRedsync has two clients want a lock of redsync.
func useRedsync(ctx context.Context, client *redis.Client) {
	rs := redsync.New(goredis.NewPool(client))
	a := rs.NewMutex("redsync", redsync.WithExpiry(long), redsync.WithTries(1))
	b := rs.NewMutex("redsync", redsync.WithExpiry(long), redsync.WithTries(1))
	fmt.Println("redsync: a locks:", a.LockContext(ctx))
	var taken *redsync.ErrTaken
	fmt.Println("b is refused:", errors.As(b.LockContext(ctx), &taken))
	ok, err := a.ExtendContext(ctx)
	fmt.Println("a extends:", ok, err)
	ok, _ = b.UnlockContext(ctx)
	fmt.Println("b unlocks what is not its own:", ok)
	ok, err = a.UnlockContext(ctx)
	fmt.Println("a unlocks:", ok, err)
	ok, err = a.UnlockContext(ctx)
	fmt.Println("a unlocks again:", ok, err != nil)
	ok, err = a.ExtendContext(ctx)
	fmt.Println("a extends no more:", ok, err != nil)
	fmt.Println("b locks:", b.LockContext(ctx))
	ok, err = b.UnlockContext(ctx)
	fmt.Println("b unlocks:", ok, err)
	nx := rs.NewMutex("redsync", redsync.WithExpiry(long), redsync.WithTries(1), redsync.WithSetNXOnExtend())
	ok, err = nx.ExtendContext(ctx)
	fmt.Println("one that sets what is gone extends:", ok, err)
}

// plain sends scripts as programs without a library do.
func plain(ctx context.Context, client *redis.Client) {
	release := redis.NewScript(`if redis.call("get",KEYS[1]) == ARGV[1] then
    return redis.call("del",KEYS[1])
else
    return 0
end`)
	fmt.Println("plain: a sets it:", client.SetNX(ctx, "plain", "a", long).Val())
	for _, who := range []string{"b", "a", "a"} {
		n, err := release.Run(ctx, client, []string{"plain"}, who).Int()
		fmt.Println(who, "releases it:", n, err)
	}
	_, err := redis.NewScript(`return redis.call("incr", KEYS[1]) .. nil`).Run(ctx, client, []string{"n"}).Result()
	fmt.Println("an error:", err)
	fmt.Println("what it had done:", client.Get(ctx, "n").Val())
	there, err := client.ScriptExists(ctx, release.Hash(), "0").Result()
	fmt.Println("it is known:", there, err)
}
