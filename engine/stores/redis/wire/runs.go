package wire

import (
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/stores/redis/resp"
	"github.com/zkviz/zkviz/engine/stores/remote/real"
)

// mark ends the name of a root's mark. Whatever a run leaves in a Redis has names below the run's root, and each root
// has a mark while its run lives. So whatever is below a root without a mark belongs to a dead run and can be deleted.
const mark = "/.run"

// id matches the end of a root.
var id = regexp.MustCompile("^" + real.IDPattern + "$")

// admin opens a connection that is not part of a run.
func (a Address) admin(ctx context.Context, do func(*Conn) error) error {
	k, err := a.Dial(ctx, real.Network)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = k.Close() })
	defer stop()
	defer func() { _ = k.Close() }()
	return do(k)
}

// order sends a command that must succeed.
func (k *Conn) order(args ...string) (resp.Value, error) {
	v, err := k.ask(args...)
	if err == nil && v.Kind == resp.Error {
		err = errors.New(v.Str)
	}
	return v, err
}

func (a Address) begin(ctx context.Context, root string) error {
	return a.admin(ctx, func(k *Conn) error {
		lasts := strconv.FormatInt(real.MarkLasts.Milliseconds(), 10)
		if _, err := k.order("SET", root+mark, "alive", "PX", lasts); err != nil {
			return err
		}
		return k.sweep(real.Base(root))
	})
}

// sweep removes what dead runs have left whose roots begin with base.
func (k *Conn) sweep(base string) error {
	alive := map[string]bool{}
	for cursor := "0"; ; {
		v, err := k.order("SCAN", cursor, "MATCH", escaped.Replace(base)+"*", "COUNT", "1000")
		if err != nil {
			return err
		}
		if len(v.List) != 2 {
			return errors.New("unexpected reply to SCAN")
		}
		for _, key := range v.List[1].List {
			if err := k.sweepOne(base, key.Str, alive); err != nil {
				return err
			}
		}
		if cursor = v.List[0].Str; cursor == "0" {
			return nil
		}
	}
}

// escaped escapes a name for a pattern.
var escaped = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)

func (k *Conn) sweepOne(base, key string, alive map[string]bool) error {
	name, _, below := strings.Cut(strings.TrimPrefix(key, base), "/")
	if !below || !strings.HasPrefix(key, base) || !id.MatchString(name) {
		return nil
	}
	root := base + name
	lives, known := alive[root]
	if !known {
		v, err := k.order("EXISTS", root+mark)
		if err != nil {
			return err
		}
		lives = v.Int > 0
		alive[root] = lives
	}
	if lives {
		return nil
	}
	_, err := k.order("DEL", key)
	return err
}

func (a Address) remove(ctx context.Context, root string, keys []string) error {
	return a.admin(ctx, func(k *Conn) error {
		for _, key := range append(keys, root+mark) {
			if !strings.HasPrefix(key, root+"/") {
				continue // a program that sets other keys doesn't know the root
			}
			if _, err := k.order("DEL", key); err != nil {
				return err
			}
		}
		return nil
	})
}
