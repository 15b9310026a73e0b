package main

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/engine/observe/feed"
)

// TestJoinWaitsForWhy checks that what can't be joined is an error, also if its reason comes a moment after the feed
// says that it has ended.
func TestJoinWaitsForWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := membership{flag: "--observe-ensemble", feed: feed.New(feed.Config{Servers: []string{"zk1"}}),
			done: make(chan error, 1)}
		go func() {
			err := j.feed.Run(t.Context())
			time.Sleep(time.Second)
			j.done <- err
		}()
		known, err := j.wait(t.Context())
		if !known || err == nil || !strings.Contains(err.Error(), `--observe-ensemble: "zk1" is not a quorum port`) {
			t.Errorf("known %t, error %v", known, err)
		}
	})
}
