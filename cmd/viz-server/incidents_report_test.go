package main

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

// question is one of the questions of engineers on call.
type question int

const (
	whoHolds question = 1 + iota
	whoWaits
	whoGaveUp
	whichClient
	nearItsEnd
	whyHandedOver
	whatHappened
	isThereAHerd
	whyStuck
	isZooKeeperWell
	whatFails
	questions
)

func (q question) String() string {
	return [...]string{"", "1 who holds it, since when", "2 who waits, behind whom", "3 who gave up, why",
		"4 which client, which host", "5 whose session is near its end", "6 why did it change hands", "7 what happened",
		"8 is there a herd", "9 why doesn't the queue move", "10 is ZooKeeper well", "11 reads and failures"}[q]
}

func (w way) String() string {
	return [...]string{"reading, a command", "reading, a page", "reading, news", "joined, a command", "joined, a page",
		"joined, news", "the tap's lines", "the tap's page", "locks --tap", "files"}[w]
}

// answers counts right answers and keeps the longest time that one took.
type answers struct {
	mu    sync.Mutex
	count [questions][waysToAsk]int
	most  [questions][waysToAsk]time.Duration
	wrong [questions][waysToAsk]int
	says  [questions][waysToAsk]bool // that it can't know
}

func (a *answers) add(one asking, w way, took time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	q := one.question
	if one.honest {
		a.says[q][w] = true
		return
	}
	a.count[q][w]++
	a.most[q][w] = max(a.most[q][w], took)
}

func (a *answers) fail(q question, w way) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.wrong[q][w]++
}

// cell is the answer of one way to one question: how many times it was right, and the longest time; or why it can't be.
func (a *answers) cell(q question, w way) string {
	switch {
	case a.wrong[q][w] > 0:
		return fmt.Sprintf("✗ %d of %d", a.wrong[q][w], a.wrong[q][w]+a.count[q][w])
	case a.count[q][w] == 0 && a.says[q][w]:
		return "says why not"
	case a.count[q][w] == 0:
		return cannot[q][w]
	case w == readNews, w == joinedNews, w == byTap: // it is there before anybody asks
		return fmt.Sprintf("✓ %d", a.count[q][w])
	}
	return fmt.Sprintf("✓ %d, %.1f s", a.count[q][w], a.most[q][w].Seconds())
}

// String returns a table of questions and ways.
func (a *answers) String() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out bytes.Buffer
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "question\t%s\n", strings.Join(wayNames[:], "\t"))
	for q := whoHolds; q < questions; q++ {
		fmt.Fprint(w, q)
		for way := range waysToAsk {
			fmt.Fprintf(w, "\t%s", a.cell(q, way))
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush() // into memory
	return out.String()
}

// cannot says in a few words why a way has no answer to a question.
var cannot = [questions][waysToAsk]string{
	whoHolds: {byTap: onlyAsked, tapPage: onlyAsked},
	whoWaits: {readNews: "only who leaves", joinedNews: "only who leaves", byTap: onlyAsked, tapPage: onlyAsked,
		files: "only how many"},
	whoGaveUp: {read: once, joined: once, byTap: "only its session's end", tapPage: "only its session's end",
		tapList: once},
	whichClient: {readNews: "only sessions", joinedNews: "only sessions", tapList: "the tap's host",
		files: "no addresses"},
	nearItsEnd: {byTap: "no heartbeats", tapPage: "no heartbeats", tapList: "as reading", files: "no heartbeats"},
	whyHandedOver: {read: once, joined: once, byTap: "only its clients' part", tapPage: "only its clients' part",
		tapList: once},
	whatHappened:    {read: once, readNews: "without reasons", joined: once, tapPage: "only sums", tapList: once},
	isThereAHerd:    {files: "no watches"},
	whyStuck:        {files: "no watches"},
	isZooKeeperWell: {byTap: "only its latency", tapPage: "only its latency"},
	whatFails:       {readNews: "only changes", joinedNews: "only changes", files: "only failed writes"},
}

const (
	once      = "it looks once"
	onlyAsked = "only who asks"
)
