package oracle

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/testing/programs"
)

// scene is a state in which all programs wait, and the clients that are inside by their own account.
type scene struct {
	name string
	// steps lists commands, each with what to wait for: "in j1 mutex" until j1 is inside; "ask j2 mutex 1" until it
	// has that many ephemeral znodes; "try j2 mutex 300" until it gives up after that many ms; "leave j1 mutex"
	// until it has left; "watches j3 j2" until j3 watches a znode of j2's, so that it has looked and waits.
	steps string
	at    string // the path to ask zkviz about, below the one that programs name
	in    string // the clients that are inside
	doubt bool   // zkviz can't know all of them: it may leave some out
}

// wrong is a known wrong answer of zkviz about a scene, in some ways. Each way must still give it, so that a
// repaired one is taken out.
type wrong struct {
	scene string
	ways  []way // all if it is empty
	says  string
}

// playing is a scene in progress.
type playing struct {
	*looks
	scene    scene
	book     *programs.Book
	programs map[string]*programs.Program
	root     string // all of the scene's znodes are below it
	path     string // the path that programs name
}

// playScenes plays each scene, and compares each way of looking with what the programs say.
func playScenes(t *testing.T, l *looks) {
	l.tb = t
	l.at(t, top)
	b := programs.NewBook(t)
	running := startAll(t, l, b)
	for _, s := range scenes {
		t.Run(s.name, func(t *testing.T) {
			l.tb, b.TB = t, t
			p := &playing{l, s, b, running, top + "/" + s.name, top + "/" + s.name + "/it"}
			p.make(p.root)
			for step := range strings.SplitSeq(s.steps, ";") {
				p.step(strings.Fields(step))
			}
			p.judge()
		})
	}
	l.tb, b.TB = t, t
	for _, p := range running {
		p.End()
	}
}

// startAll starts one program of each library, all behind the tap.
func startAll(t *testing.T, l *looks, b *programs.Book) map[string]*programs.Program {
	all := map[string]*programs.Program{}
	for _, library := range []string{programs.Curator, programs.Kazoo, programs.GoZooKeeper} {
		all[library] = programs.Start(t, b, library, l.tap.Addr().String(), sessionTimeout)
	}
	return all
}

// step carries out one step and waits for its effect.
func (p *playing) step(words []string) {
	p.tb.Helper()
	n, verb, client, recipe := p.book.Len(), words[0], words[1], words[2]
	program := p.programs[client[:1]]
	hears := func(any ...programs.Event) {
		p.tb.Helper()
		l := p.book.Await(n, fmt.Sprintf("%s has done %q", client, words), func(l programs.Line) bool {
			return l.Client == client && l.Path == p.path && slices.Contains(append(any, programs.Failed), l.Event)
		})
		if l.Event == programs.Failed {
			p.tb.Fatalf("%q: %v", words, l)
		}
	}
	switch verb {
	case "in":
		program.Tell("acquire", client, recipe, p.path)
		hears(programs.Got)
	case "ask":
		program.Tell("acquire", client, recipe, p.path)
		hears(programs.Waits)
		p.owns(client, words[3])
	case "try":
		program.Tell("try", client, recipe, p.path, words[3])
		hears(programs.GaveUp)
	case "leave":
		program.Tell("release", client, recipe, p.path)
		hears(programs.Left)
	case "watches":
		p.watches(client, words[2])
	default:
		p.tb.Fatalf("there's no step %q", words)
	}
}

// session returns a client's session.
func (p *playing) session(client string) (session int64) {
	for _, l := range p.book.All() {
		if l.Client == client && l.Session != 0 {
			session = l.Session
		}
	}
	return session
}

// client returns the client of a session, or "nobody" for a znode without an owner.
func (p *playing) client(session int64) string {
	if session == 0 {
		return "nobody"
	}
	for _, l := range slices.Backward(p.book.All()) {
		if l.Session == session {
			return l.Client
		}
	}
	return fmt.Sprintf("%#x", uint64(session))
}

// owns waits until a client has that many ephemeral znodes.
func (p *playing) owns(client, count string) {
	p.tb.Helper()
	want, err := strconv.Atoi(count)
	if err != nil {
		p.tb.Fatal(err)
	}
	p.until(fmt.Sprintf("%s has %s znodes", client, count), func() bool {
		n, session := 0, p.session(client)
		for _, owner := range p.tree(p.root) {
			if session != 0 && owner == session {
				n++
			}
		}
		return n == want
	})
}

// watches waits until a client watches a znode of another, according to the tap.
func (p *playing) watches(client, other string) {
	p.tb.Helper()
	of := map[string]bool{}
	for path, owner := range p.tree(p.root) {
		of[path] = owner == p.session(other)
	}
	s := p.stages[tapped]
	s.await(p.tb, client+" watches "+other, func() bool { return watching(s.events, p.session(client), of) })
}

// judge compares what each way says with what the programs do.
func (p *playing) judge() {
	p.tb.Helper()
	tree, asked := p.tree(p.root), p.path+p.scene.at
	zxid := p.make(p.root + "-marked")
	for _, w := range []way{joined, read, tapped} {
		p.stages[w].has(p.tb, p.root, tree)
		of, _ := p.stages[w].log(asked)
		p.compare(w, p.names(of.Holding()))
	}
	of, _ := p.past(asked, zxid)
	p.compare(files, p.names(of.Holding()))
	for _, w := range []way{joinedPage, readPage} {
		says := ""
		for end := time.Now().Add(pagePatience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			held, ok := p.page(p.pages[w], asked)
			if says = p.names(held); ok && p.accepts(w, says) {
				break
			}
		}
		p.compare(w, says)
	}
}

// pagePatience limits how long a page may lack what it should have: it doesn't name its sources.
const pagePatience = 60 * time.Second

// names returns the clients that hold it, in order.
func (p *playing) names(held []handover.Hand) string {
	var all []string
	for _, h := range held {
		all = append(all, p.client(h.Session))
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), " ")
}

// expected returns the answer that a way should give: the truth, or the known wrong answer.
func (p *playing) expected(w way) string {
	for _, k := range known {
		if k.scene == p.scene.name && (len(k.ways) == 0 || slices.Contains(k.ways, w)) {
			return k.says
		}
	}
	return p.scene.in
}

// accepts reports whether a way's answer is as expected.
func (p *playing) accepts(w way, says string) bool {
	want := p.expected(w)
	return says == want || p.scene.doubt && !slices.ContainsFunc(strings.Fields(says), func(client string) bool {
		return !slices.Contains(strings.Fields(want), client)
	})
}

func (p *playing) compare(w way, says string) {
	p.tb.Helper()
	switch want := p.expected(w); {
	case p.accepts(w, says):
	case want != p.scene.in && says == p.scene.in:
		p.tb.Errorf("%s: it says %q, which is right: take it out of what is known to be wrong", w, says)
	default:
		p.tb.Errorf("%s: %q are said to be inside, not %q; programs say %q", w, says, want, p.scene.in)
	}
}
