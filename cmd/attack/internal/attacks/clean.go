package attacks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/cmd/attack/internal/client"
	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/wire/peer"
	"github.com/zkviz/zkviz/engine/zoo"
)

// Clean removes what attacks have left on the ZooKeeper inside, where nobody else could know that it is not wanted.
func Clean(ctx context.Context, from client.From, addr string) error {
	p, err := from.ZooKeeper(ctx, addr, longSession, patience)
	if err != nil {
		return fmt.Errorf("clean up: %w", err)
	}
	defer context.AfterFunc(ctx, p.Abort)()
	defer closing(p)
	top, err := children(p, "/")
	if err != nil {
		return err
	}
	for _, name := range top {
		if strings.HasPrefix("/"+name, Root) {
			if err := clean(ctx, p, "/"+name); err != nil {
				return err
			}
		}
	}
	return nil
}

func clean(ctx context.Context, p *peer.Peer, path string) error {
	below, err := children(p, path)
	if err != nil {
		return err
	}
	for names := range slices.Chunk(below, batch) {
		delete := func(i int) wire.Request {
			return wire.Request{Op: wire.OpDelete, Path: path + "/" + names[i], Version: -1}
		}
		if _, refused := many(ctx, p, len(names), delete); refused == nil || ctx.Err() != nil {
			continue
		}
		for _, name := range names { // one has children of its own, or has gone
			if err := clean(ctx, p, path+"/"+name); err != nil {
				return err
			}
		}
	}
	answer, _, err := p.Do(wire.Request{Op: wire.OpDelete, Path: path, Version: -1})
	if err == nil && answer.Code != zoo.OK && answer.Code != zoo.ErrNoNode {
		err = fmt.Errorf("clean up %s: %w", path, answer.Code)
	}
	return err
}

func children(p *peer.Peer, path string) ([]string, error) {
	answer, _, err := p.Do(wire.Request{Op: wire.OpGetChildren, Path: path})
	if err == nil && answer.Code != zoo.OK && answer.Code != zoo.ErrNoNode {
		err = answer.Code
	}
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", path, err)
	}
	return answer.Children, nil
}

// Count is how many znodes the server has, without those below a path.
func Count(ctx context.Context, from client.From, addr, without string) (int, error) {
	p, err := from.ZooKeeper(ctx, addr, sessionTimeout, patience)
	if err != nil {
		return 0, fmt.Errorf("count znodes: %w", err)
	}
	defer closing(p)
	count := 0
	for path, sign := range map[string]int{"/": 1, without: -1} {
		answer, _, err := p.Do(wire.Request{Op: wire.OpAllChildrenNumber, Path: path})
		if err != nil {
			return 0, fmt.Errorf("count znodes: %w", err)
		}
		count += sign * int(answer.Number) // 0 where there is none
	}
	return count, nil
}
