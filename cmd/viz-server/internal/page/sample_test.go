package page_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/compare"
	"github.com/zkviz/zkviz/engine/stage/costs"
	"github.com/zkviz/zkviz/lessons"
	"github.com/zkviz/zkviz/static/strings"
)

// hostile is text that a cluster or an address could bring in. With the canned props below, every part of every page
// has something to show.

const hostile = `</script><img src=x onerror=alert(1)>"'`

func frame(t *testing.T, here string) page.Frame {
	t.Helper()
	w, err := strings.Load(strings.Source)
	if err != nil {
		t.Fatal(err)
	}
	return page.Frame{
		Lang: "en", Words: w, Here: here, Servers: "127.0.0.1:2181",
		Languages: []page.Language{{Code: "en", Name: "English", URL: "/"}, {Code: "es", Name: "Español", URL: "/es/"}},
	}
}

func home(t *testing.T) page.HomeProps {
	part := lessons.Part{ID: "line", Title: "Waiting in line", Lede: "Who goes next."}
	for i, title := range []string{"Znodes, sessions and watches", "One name, one lock", "The herd",
		"Watch only the one ahead", "When a session expires", "A queue", "A barrier"} {
		part.Lessons = append(part.Lessons, &lessons.Page{
			Number: i + 1, Slug: "the-herd", Title: title, Recipe: "children-lock",
			Lede:  "Six programs want one printer. One leaves, and five are woken for one place.",
			Steps: []lessons.PageStep{{Anchor: "queue", Text: "Six clients under one node"}},
		})
	}
	return page.HomeProps{Frame: frame(t, "lessons"), Parts: []lessons.Part{part}}
}

func lesson(t *testing.T) page.LessonProps {
	return page.LessonProps{
		Frame: frame(t, "lessons"), Source: page.GoSource("recipes/children_lock.go", sampleSource),
		Lesson: &lessons.Page{
			Number: 3, Slug: "the-herd", Title: "The herd", Recipe: "children-lock",
			SessionTimeout: 10 * time.Second, Steps: steps(),
			Prev: &lessons.PageLink{Slug: "one-name", Title: "One name, one lock"},
			Next: &lessons.PageLink{Slug: "the-one-ahead", Title: "Watch only the one ahead"},
		},
	}
}

// steps returns one step of each kind.
func steps() []lessons.PageStep {
	question := &lessons.PageQuestion{
		ID: "woken", Text: "A leaves. How many clients does ZooKeeper wake?",
		Choices: []lessons.PageChoice{
			{ID: "one", Label: "One: the next in line", Why: "The numbers put them in order, but all watch the same parent."},
			{ID: "five", Label: "All five", Right: true, Why: "Each watches the parent, and the parent changed."},
			{ID: "none", Label: "None: they ask again by themselves", Why: "They sleep until their watch fires."},
		},
	}
	try := &lessons.PageTry{Text: "Run it and count:", Buttons: []lessons.PageButton{
		{Label: "Try it with 1,000 clients", Recipe: "children-lock", Clients: 1000, Beside: "predecessor-lock"},
		{Label: "The same for predecessor-lock", Recipe: "predecessor-lock", Clients: 1000},
	}}
	task := &lessons.PageChallenge{
		Task: "break-it belief-exclusion 1", Goal: "Make two clients believe that they hold the lock.",
		Hint: "A paused program does not know that time has passed.", Won: "You broke it.", Par: 1,
		Hits: lessons.HitsServer, Lasts: 30 * time.Second,
	}
	repair := &lessons.PageRepair{
		ID: "repair", Text: "One line is missing.", Before: []string{"for {", "\tx := <-c"}, After: []string{"}"},
		Choices: []lessons.PagePatch{
			{Patch: lessons.Patch{ID: "in", Recipe: "no-second-look", Lines: []string{"\treturn nil"}},
				Label: "Go in", Why: "Somebody is inside."},
			{Patch: lessons.Patch{ID: "again", Recipe: "predecessor-lock", Lines: []string{"\tif x < 1 {", "\t}"}, Right: true},
				Label: "Look again", Why: "The list shows everybody."},
		},
	}
	lines := []lessons.PageLine{
		{ID: "leaves", Label: "A leaves", Why: "Its hold is over.", Place: 1, Seq: 40, At: "3.0"},
		{ID: "told", Label: "B is told", Why: "Nobody tells B before A has left.", Place: 2, Seq: 44, At: "3.4"},
	}
	order := &lessons.PageOrder{
		Text: "What was first?", Lines: []lessons.PageLine{lines[1], lines[0]}, Answer: lines,
	}
	return []lessons.PageStep{
		{
			Anchor: "queue", Title: "Six want the printer", Text: "Six nodes in a row, A lit", Question: question,
			HTML: "<p>Six clients want the printer. Each made a node and got the next number. " +
				"<strong>A</strong> has the smallest, so A is inside.</p>",
		},
		{
			Anchor: "release", Title: "A leaves", Text: "Five lines light up",
			HTML: "<p>A deleted its node. All five waiting clients were watching the parent, so ZooKeeper tells all five.</p>" +
				"<p>Every one of them lists the children again. Only <strong>B</strong> finds itself first.</p>",
		},
		{
			Anchor: "price", Title: "The price", Text: "A chart", Try: try,
			HTML: "<p>Six clients, fifteen wakeups. And with a thousand?</p>",
		},
		{
			Anchor: "break-it", Title: "Break it", Text: "Six clients", Challenge: task,
			HTML: "<p>Now the faults are yours.</p>",
		},
		{Anchor: "repair", Title: "Repair it", Text: "Six clients", Repair: repair, HTML: "<p>Now the code is yours.</p>"},
		{Anchor: "order", Title: "Order it", Text: "Six clients", Order: order, HTML: "<p>Now the order is yours.</p>"},
	}
}

func live(t *testing.T) page.LiveProps {
	return page.LiveProps{Frame: frame(t, "live"), Path: "/locks/" + hostile}
}

func comparison(t *testing.T) page.CompareProps {
	p := frame(t, "lab")
	return page.CompareProps{
		Frame: p, Clients: hostile, Live: true, Runs: 1,
		Error:   sentence.Of("bad.lesson", sentence.Quote(hostile)),
		Choices: []page.CompareChoice{{Name: "unique-lock", Chosen: true}, {Name: "children-lock"}},
		Figures: costs.HTML([]compare.Row{{
			Summary: run.Summary{Recipe: hostile, Host: event.Simulated}, Waiters: 1, Servers: 3,
		}}, true, p.Say),
	}
}

func locks(t *testing.T) page.LocksProps {
	lock := page.Contender{Recipe: "redis-set-nx-px", Poll: "50ms", Host: "live", Real: true}
	fenced := page.BrokenRule{Letter: "A", Name: "fenced", Title: sentence.Of("rule.fenced")}
	return page.LocksProps{
		Frame: frame(t, "lab"),
		Contest: page.Contest{
			Clients: hostile, Real: hostile, Live: true, LiveMissing: 1, Latency: "50µs",
			Figures: []string{"requests", "longest-wait"},
			Rows:    []page.ContestRow{{Contender: lock, Figures: []string{"4", "–"}, Link: "/lab?recipe=redis-set-nx-px"}},
			Charts: []page.Bars{{Title: "contest.chart.wakeups", ViewBox: "0 0 400 38",
				Bars: []page.Bar{{Contender: lock, Value: "49", Width: "320"}}}},
		},
		Broken: page.BrokenTable{
			Faults: []string{"", "pause"}, Seeds: "300", Rules: []page.BrokenRule{fenced},
			Groups: []page.BrokenGroup{{Title: "recipes.pitfalls", Rows: []page.BrokenRow{{
				Recipe: "redis-failover", Held: "A", Cells: []page.BrokenCell{
					{Mark: "·"}, {Fault: "pause", Broken: []page.BrokenLink{{BrokenRule: fenced, Link: "/lab?recipe=redis-failover"}}},
				}}}}},
		},
	}
}

func recipes(t *testing.T) page.RecipesProps {
	group := page.RecipeGroup{ID: "locks", Pitfalls: []page.RecipeCard{{Name: "no-second-look", Cure: "predecessor-lock"}}}
	for _, name := range []string{"unique-lock", "children-lock", "predecessor-lock"} {
		group.Recipes = append(group.Recipes, page.RecipeCard{
			Name: name, MinClients: 1,
			Promises: []sentence.Sentence{sentence.Of("rule.truth-exclusion"), sentence.Of("rule.order")},
			Source:   page.GoSource("recipes/children_lock.go", sampleSource),
			Lesson:   &lessons.PageLink{Slug: "the-herd", Title: "The herd"},
		})
	}
	return page.RecipesProps{Frame: frame(t, "recipes"), Groups: []page.RecipeGroup{group}}
}

func notFound(t *testing.T) page.ErrorProps {
	return page.ErrorProps{Frame: frame(t, ""), Status: 404}
}

const sampleSource = `package recipes

// ChildrenLock waits for its turn by watching the parent.
func ChildrenLock(c zoo.Client, p Params) error {
	me, err := c.Create(p.Root+"/lock-", nil, zoo.EphemeralSequential)
	if err != nil {
		return err
	}
	for {
		names, _, changed, err := c.ChildrenW(p.Root)
		if err != nil {
			return err
		}
		if first(names) == base(me) {
			return hold(c, p, me)
		}
		if _, err := c.Await(0, changed); err != nil {
			return err // the session is over: so is the place in the queue
		}
	}
}
`
