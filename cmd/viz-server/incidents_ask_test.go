package main

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/testing/programs"
)

// way is a way to ask zkviz.
type way int

// The ways: a command that reads or joins the ensemble and ends, the page of a server that does so, and a command that
// goes on since before the incident; the lines of a tap between clients and servers, its page, and the list of locks
// with its figures; and a command that reads the files of a server.
const (
	read way = iota
	readPage
	readNews
	joined
	joinedPage
	joinedNews
	byTap
	tapPage
	tapList
	files
	waysToAsk
)

var (
	wayNames = [waysToAsk]string{"reading: locks", "page", "--follow", "joined: locks", "page", "--follow",
		"tap: lines", "page", "locks --tap", "files: log"}
	pageOf = map[way]way{read: readPage, joined: joinedPage}
	newsOf = map[way]way{read: readNews, joined: joinedNews}
)

// asking is a question and its right answer.
//
// Texts may name what is known by the programs and the script: {p} is the znode, {k1} the session of k1, {k1.at} from
// where it is connected. {k1.held} says how long k1 has been inside, {k1.waits} how long it has waited, exactly or at
// most; {k1.got} and {k1.opened} are the times at which it got in and last connected. {zk1} to {zk3} are the servers,
// {leader}, {second} and {third} those with the roles that the script gives them.
type asking struct {
	question question
	by       []way    // those that can know; nil for looks
	auth     bool     // to be asked with the identity of the programs with secrets
	args     string   // of the command instead of the usual ones
	page     string   // the query of the page's address instead of the usual one; with a slash, another page's address
	link     string   // a link's address to press on the page, as a pattern: the answer is on its page
	says     []string // patterns that must stand in the answer
	nots     []string // patterns that must not
	honest   bool     // these ways can't know, and that's what they say
	quickly  bool     // the answer is right for some seconds only
}

// looks are the ways that see how it stands.
var looks = []way{read, readPage, joined, joinedPage}

func (a asking) ways() []way {
	if a.by == nil {
		return looks
	}
	return a.by
}

// askAll asks each way, one after the other. What doesn't stay true for long is asked in all of them at once.
func (p *playing) askAll(a asking) {
	if !a.quickly {
		for _, w := range a.ways() {
			p.ask(w, a)
		}
		return
	}
	var all sync.WaitGroup
	for _, w := range a.ways() {
		all.Go(func() { p.ask(w, a) })
	}
	all.Wait()
}

// ask asks one way until the answer is right, and records how long the last time took.
func (p *playing) ask(w way, a asking) {
	p.t.Helper()
	for end := time.Now().Add(patienceOfIncidents); ; time.Sleep(200 * time.Millisecond) {
		from := time.Now()
		text, asked := p.answer(w, a)
		took := time.Since(from)
		missing, wrong := p.faults(a, text, from)
		if missing == "" && wrong == "" {
			p.answers.add(a, w, took)
			return
		}
		if time.Now().After(end) || p.t.Context().Err() != nil {
			p.answers.fail(a.question, w)
			p.t.Errorf("%v, %v: %s lacks %q, or says %q:\n%s", a.question, w, asked, missing, wrong, text)
			return
		}
	}
}

// faults returns the first pattern that an answer lacks, and the first that it must not have.
func (p *playing) faults(a asking, text string, from time.Time) (missing, wrong string) {
	for _, want := range a.says {
		if pattern := p.pattern(want, from); !regexp.MustCompile(pattern).MatchString(text) {
			return pattern, ""
		}
	}
	for _, not := range a.nots {
		if pattern := p.pattern(not, from); regexp.MustCompile(pattern).MatchString(text) {
			return "", pattern
		}
	}
	return "", ""
}

// answer asks once, and returns the answer and what was asked.
func (p *playing) answer(w way, a asking) (text, asked string) {
	args := a.args
	switch w {
	case readPage, joinedPage, tapPage:
		server, page := p.server(w, a.auth), p.filled(cmp.Or(a.page, p.usualPage()))
		if !strings.HasPrefix(page, "/") {
			page = "/live/locks?" + page
		}
		address := server + page
		text = fetch(p.t, address)
		if m := regexp.MustCompile(`href="([^"]*` + a.link + `[^"]*)"`).FindStringSubmatch(text); a.link != "" && m != nil {
			address = server + html.UnescapeString(m[1])
			text = fetch(p.t, address)
		}
		return pageText(text), address
	case readNews, joinedNews, byTap:
		return p.news[w].text(), "what it has printed"
	case files:
		if args == "" {
			args = "log {files} --hands {path}"
		}
	default:
		if args == "" {
			args = "locks {named}"
		}
		if w == tapList {
			args += " --tap {tap}"
		}
		if !strings.Contains(args, " --zk ") {
			args += " --zk {zk} " + strings.Join(p.access(a.auth), " ")
		}
		if w == joined {
			args += " --observe-ensemble auto"
		}
	}
	words := strings.Fields(p.filled(args))
	var out, errs bytes.Buffer
	code := execute(words, &terminal{ctx: p.t.Context(), out: &out, err: &errs})
	return fmt.Sprintf("%s%sexit %d", &out, &errs, code), "viz-server " + strings.Join(words, " ")
}

// usualPage returns the query of the page that somebody has open: that of all incidents, with the one in question.
func (p *playing) usualPage() string {
	if p.in.chroot {
		return "path=/"
	}
	return "path=" + incidentsAt + "&text={path}"
}

// server returns the address of the server of pages that looks in a way: the one of all incidents, or one of this
// incident's own if it takes a chroot or an identity.
func (p *playing) server(w way, auth bool) string {
	if w == tapPage || !p.in.chroot && !p.in.secure && !auth {
		return p.pages[w]
	}
	if p.own[w] == "" {
		args := []string{"--zk", p.zk()}
		if w == joinedPage {
			args = append(args, "--observe-ensemble", "auto")
		}
		p.own[w] = servedUntilEnd(p.t, append(args, p.access(auth)...)...)
	}
	return p.own[w]
}

// access returns the flags by which zkviz gets in where it takes TLS, or the identity of the programs with secrets.
func (p *playing) access(auth bool) (flags []string) {
	if auth {
		flags = append(flags, "--zk-auth-file", written(p.t, "digest:me:secret\n"))
	}
	if p.in.secure {
		flags = append(flags, "--zk-tls-ca", p.tls[0], "--zk-tls-cert", p.tls[1], "--zk-tls-key", p.tls[2])
	}
	return flags
}

// filled puts paths, addresses, files and sessions into a command line or a query.
func (p *playing) filled(text string) string {
	s := p.servers.Servers
	text = strings.NewReplacer("{files}", s[p.fileOf()].Files(), "{files1}", s[0].Files(), "{files2}", s[1].Files(),
		"{files3}", s[2].Files(), "{path}", p.path(), "{base}", p.base, "{named}", p.named(), "{zk}", p.zk(),
		"{plain}", p.plain, "{tap}", p.pages[tapPage]).Replace(text)
	return placeholder.ReplaceAllStringFunc(text, func(m string) string { return p.sessionText(strings.Trim(m, "{}")) })
}

// fileOf returns the server whose files are read, from 0: one that runs.
func (p *playing) fileOf() int {
	for i, s := range p.servers.Servers {
		if s.PID() != 0 && len(must(filepath.Glob(filepath.Join(s.Files(), "log.*")))) > 0 {
			return i
		}
	}
	return 0
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// pageText returns the words of a page's main part, or all of what isn't a page.
func pageText(page string) string {
	_, body, is := strings.Cut(page, "<main")
	if !is {
		return page
	}
	body, _, _ = strings.Cut(body, "</main>")
	return strings.Join(strings.Fields(html.UnescapeString(tag.ReplaceAllString("<main"+body, " "))), " ")
}

var placeholder = regexp.MustCompile(`\{([a-z]+[0-9]*)(\.[a-z]+)?\}`)

// pattern puts what is known by now into a pattern.
func (p *playing) pattern(text string, from time.Time) string {
	return "(?s)" + placeholder.ReplaceAllStringFunc(text, func(m string) string {
		part := placeholder.FindStringSubmatch(m)
		return p.known(part[1], part[2], from)
	})
}

func (p *playing) known(who, what string, from time.Time) string {
	switch {
	case who == "p":
		return regexp.QuoteMeta(p.named())
	case p.roles[who] != 0:
		return regexp.QuoteMeta(p.servers.Servers[p.roles[who]-1].Addr)
	}
	if path, is := strings.CutPrefix(who, "in"); is {
		return p.insider(p.path() + "-" + path)
	}
	switch what {
	case "":
		return p.sessionText(who)
	case ".at":
		return p.address(who)
	case ".held":
		got, waits := p.lastMS(who, programs.Got), p.lastMS(who, programs.Waits)
		return fmt.Sprintf("for (?:%s|at most %s|\\d.{1,14} to %[2]s)", spansNear(from, got, got),
			spansNear(from, waits, got))
	case ".waits":
		waits := p.lastMS(who, programs.Waits)
		return fmt.Sprintf("for (?:at most )?%s", spansNear(from, waits, waits))
	case ".got":
		return timesNear(p.lastMS(who, programs.Got))
	case ".opened":
		return timesNear(p.lastMS(who, programs.Opened))
	}
	p.t.Fatalf("nothing is known as {%s%s}", who, what)
	return ""
}

// insider returns the session that is inside at a path, by its program's account.
func (p *playing) insider(path string) string {
	for _, l := range slices.Backward(p.book.All()) {
		if l.Path == path && l.Event == programs.Got {
			return handover.SessionText(l.Session)
		}
	}
	return "a session that isn't known yet"
}

// sessionText returns a client's session as zkviz writes it.
func (p *playing) sessionText(client string) string {
	session := p.session(client)
	if session == 0 {
		return "a session that isn't known yet"
	}
	return handover.SessionText(session)
}

// address returns from where a client is connected by its own account, or the relay's.
func (p *playing) address(client string) string {
	if r := p.relays[strings.TrimRight(client, "0123456789")]; r != nil && !r.isOver() {
		return regexp.QuoteMeta(r.from())
	}
	for _, l := range slices.Backward(p.said(client, programs.Opened)) {
		if l.More != "" {
			return regexp.QuoteMeta(l.More)
		}
	}
	return "an address that isn't known yet"
}

// lastMS returns when a client has last said something, in ms since 1970, 0 if it hasn't.
func (p *playing) lastMS(client string, e programs.Event) (ms int64) {
	for _, l := range p.said(client, e) {
		ms = l.MS
	}
	return ms
}

// unsureMS is how far a program's report may be from what it reports, on a busy machine.
const unsureMS = 5000

// spansNear matches how long something lasts that began between two times, in whole seconds, according to somebody who
// was asked at that time.
func spansNear(from time.Time, first, last int64) string {
	var all []string
	for ms := from.UnixMilli() - last - unsureMS; ms <= time.Now().UnixMilli()-first+unsureMS; ms += 1000 {
		all = append(all, regexp.QuoteMeta(lockText(handover.Lapse(ms))))
	}
	return "(?:" + strings.Join(slices.Compact(all), "|") + `)\b`
}

// timesNear matches a time up to its seconds.
func timesNear(ms int64) string {
	var all []string
	for at := ms - unsureMS; at <= ms+unsureMS; at += 1000 {
		all = append(all, regexp.QuoteMeta(wallTime(at)[:len("2006-01-02T15:04:05")]))
	}
	return "(?:" + strings.Join(all, "|") + ")"
}
