package lessons

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/challenge"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run"
)

// Lesson is one lesson: its facts and its words.
type Lesson struct {
	Number   int      // its place in the course, from 0 for an introduction, else from 1
	Slug     string   // the folder's name: the-herd
	Part     string   // of the course, by its name there
	After    []string // slugs of earlier lessons that it builds on
	Scenario run.Scenario
	Steps    []Step
	Prose    map[string]Prose // by language
}

// Step is a place where the run stops, and what the reader can do there.
type Step struct {
	Anchor    string
	Until     *Condition    // nil: the step looks back
	Again     string        // the anchor of an earlier step, whose moment a step that looks back shows again
	Loop      string        // the step from whose beginning this one plays over and over; empty if it plays once
	Linger    time.Duration // how much longer the simulated run goes on, to show what was sent on its way
	Focus     []string      // its subjects, as the scene takes them: client-3, server-2, log, a znode's name, or a path
	Claims    []Claim       // what words, log and picture must support
	Numbers   []string      // phrases whose numbers aren't about the run: "ten digits"
	Shows     []string      // the figures that it is about and the terms not met yet, as mark.FiguresBut takes them
	Opens     []Panel       // the panels that the words mention
	Question  *Question     // asked at the end of the step; the steps after it show the answer
	Challenge *Challenge
	Buttons   []Button
	Repair    *Repair
	Order     Order
	Join      bool    // the page explains how to join the zoo by hand: the server knows the address
	Beside    *Beside // a run beside the lesson's, nil for none
	Values    []Value // the reader chooses one; none at most steps
}

// Panel is a part of the page that stays folded until a step points at it or the reader opens it.
type Panel string

const (
	PanelInspector Panel = "inspect" // the selection, the chart and the counters
	PanelSource    Panel = "source"
	PanelLog       Panel = "log"
)

// Condition ends a step. It holds at the first event, after the end of the previous step, by which the described
// event has happened Nth times, at least Blocked clients wait for a watch and at least Inside clients believe that
// they are inside. It contains no times, so that a real ZooKeeper reaches it too.
type Condition struct {
	Kind    event.Kind  // 0: any event, only Blocked and Inside count
	Client  event.Actor // the client it is about, 0 for any. For ZooKeeper's actions, the client they are for
	Server  int         // the ensemble's server where it happened, 0 for any
	Text    string      // the whole Text of the event, such as a phase; empty for any
	Op      event.Op
	Path    string // the end of the event's path; empty for any
	Failed  bool   // only with an error code
	Nth     int    // from 1, counted from the end of the previous step
	Ever    bool   // Nth counts from the start of the run instead
	Blocked int
	Inside  int
}

// Question is a prediction: the right choice is the one with the measure's value.
type Question struct {
	Measure Measure
	Choices []Choice
	Marks   []string // patterns of scene.Mark: how the picture shows the answer
}

// Choice is one answer. Value is the measure's value if it is right.
type Choice struct{ ID, Value string }

// Challenge asks the reader to break a rule of engine/analysis/promise with at most Par faults, or to mend what the
// lesson's own run breaks.
type Challenge struct {
	Rule     string // or a feat of package challenge
	Times    int    // how often, from 1
	Mend     bool   // instead, to break it less often by the end of the run
	Par      int
	Forbid   []string // kinds of faults, and clients, as in a written fault
	Solution []string // faults as written; tests use them to prove that it can be done
}

// Button runs a recipe and shows its figures.
type Button struct {
	ID      string
	Recipe  string
	Clients int
	Beside  string // the recipe to watch beside it, empty for none
}

// Prose is a lesson's words in one language. Steps are in the order of Lesson.Steps.
type Prose struct {
	Lang  string
	Title string
	Lede  string // one sentence for the list of lessons
	Steps []StepProse
}

// StepProse is a step's words, as Markdown.
type StepProse struct {
	Anchor, Title string
	Of            string // digest of the source step that this translates, empty in the source itself
	Body          string
	Ask           string            // the question
	Choices       map[string]Answer // by Choice.ID
	Goal          string            // the challenge's goal
	Hint, Won     string
	Try           string            // the purpose of the buttons
	Labels        map[string]string // by Button.ID
	Repair        string            // asks for the missing lines
	Patches       map[string]Answer // by Patch.ID
	Order         string            // asks what happened first
	Lines         map[string]Answer // by Line.ID
	Vary          string            // begins the sentence in which the reader chooses a value
	Values        map[string]Answer // by Value.ID: the value, and how the sentence goes on
	Beside        string            // says how the lesson's run and the one beside it differ: see player.RunNames
	line          int               // line of the heading
}

// Answer is a choice's label, with a sentence that says why it is right, or tempting and wrong.
type Answer struct{ Label, Why string }

// Step returns the step of that anchor, or nil.
func (l *Lesson) Step(anchor string) *Step {
	if i := l.stepAt(anchor); i >= 0 {
		return &l.Steps[i]
	}
	return nil
}

// stepAt returns the place of the step with that anchor, -1 if there is none.
func (l *Lesson) stepAt(anchor string) int {
	return slices.IndexFunc(l.Steps, func(s Step) bool { return s.Anchor == anchor })
}

// played adapts a log for package challenge.
type played struct{ *event.Log }

func (p played) Len() int                { return len(p.Events) }
func (p played) Event(i int) event.Event { return p.Events[i] }

// Task returns the step's challenge for the judge, in a lesson whose own run is r.
func (s *Step) Task(r *Run) challenge.Task {
	c := s.Challenge
	t := challenge.Task{Step: s.Anchor, Rule: c.Rule, Times: c.Times, Mend: c.Mend, Par: c.Par, Forbid: c.Forbid}
	for _, v := range r.Report.Violations {
		t.Base = append(t.Base, v.Rule)
	}
	for _, f := range challenge.Feats(played{r.Log}) {
		if f.Name == c.Rule {
			t.Base = append(t.Base, f.Name)
		}
	}
	return t
}
