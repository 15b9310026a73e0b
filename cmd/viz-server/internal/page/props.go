// Package page turns typed props into HTML. Its parts (*.templ) hold no logic beyond if and for, and every
// value goes through templ's escaping: znode names and data are hostile wherever they come from.
//
// It knows no HTTP and no runs: package web fills the props, and package lessons makes the lessons' pages.
package page

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/lessons"
)

// HomeProps is the first page.
type HomeProps struct {
	Frame
	Parts []lessons.Part
}

// ReviewProps is three questions of a part of the course, asked again.
type ReviewProps struct {
	Frame
	Part      lessons.Part
	Questions []lessons.Review
	Next      *lessons.PageLink // the first lesson after the part, nil after the last
}

// reasked is a question on a page with those of other lessons.
func reasked(r lessons.Review) lessons.PageQuestion {
	q := *r.Step.Question
	q.ID = r.Lesson.Slug + "-" + q.ID
	return q
}

// GlossaryProps is the page of terms.
type GlossaryProps struct {
	Frame
	Terms []*lessons.Term
}

// SearchProps is what was looked for, and found.
type SearchProps struct {
	Frame
	Query string
	Hits  []Hit
}

// Hit is a page that was found. Kind ends the key of its word: "lesson", "term" or "recipe".
type Hit struct {
	Kind, Title string
	Address     string // without the language
	Pieces      []Piece
}

// Piece is a part of a text. Found tells whether it was looked for.
type Piece struct {
	Text  string
	Found bool
}

// LessonProps is a lesson's page.
type LessonProps struct {
	Frame
	Lesson *lessons.Page
	Source Source
	ByHand *Way // how to join the zoo by hand, nil if no ZooKeeper runs here
}

// Source is a recipe's source file as it runs.
type Source struct {
	File  string // recipes/children_lock.go
	Lines []SourceLine
}

// SourceLine is one line, cut into tokens for colouring.
type SourceLine struct {
	Number int
	Tokens []Token
}

// Token is a piece of a line. Class is "k" for a keyword, "s" for a literal, "c" for a comment, or empty.
type Token struct{ Class, Text string }

// LiveProps is the view of a subtree of the operator's ZooKeeper.
type LiveProps struct {
	Frame
	Path string // the subtree, as asked for
	// Cluster is whose it is, by its name; empty for the one without. Clusters are all that have names.
	Cluster  string
	Clusters []string
	Error    sentence.Sentence // why Path cannot be shown, if it cannot
	Away     sentence.Sentence // why the ZooKeeper cannot be reached now, if it cannot
	Moment   int64             // that is shown if the log reaches back to it, in ms since 1970; 0 for how it is now
	Znode    string            // that is selected then
	Turn     *LockTurn         // when it changed hands last, as the list of locks has it; nil if it has nothing of it
	Seen     *LockRow          // as the list of locks saw it last, if nothing can be seen now; nil if it has nothing of it
	SeenAt   string            // when that was, as <time> has it
	// Joined is that its ensemble has been joined as an observer. Else it is read with a session.
	Joined bool
}

// ZooProps is the view of the ZooKeeper inside this program, and of anyone who connects to it; or of those who connect
// to a real one through a tap.
type ZooProps struct {
	Frame
	Address string            // where clients connect, empty if no ZooKeeper runs here
	Tapped  bool              // it is a tap's
	Servers int               // how many servers it has
	Path    string            // the subtree that is shown
	Queue   string            // the one that the programs to paste join
	Error   sentence.Sentence // why Path cannot be shown, if it cannot
	Most    int               // contenders that can be added
	Hold    fault.Hold        // of them
	Ways    []Way
}

// RedisProps is the view of the Redis inside this program, and of anyone who connects to it.
type RedisProps struct {
	Frame
	Address string // where clients connect, empty if no Redis runs here
	Ways    []Way
}

// Way is one way of joining the queue from a terminal.
type Way struct {
	Name      string // what it is done with: "Python, kazoo"
	Needs     string // the packages of Debian that it takes, or empty
	Elsewhere string // the key of what it takes on other systems, or empty
	Text      string // to paste
	By        bool   // by hand: the reader's own client goes when they say so
}

// LabProps is the free play of a recipe, or the form for it.
type LabProps struct {
	Frame
	Recipes, Pitfalls []string         // to choose from
	Nodes             map[string]Nodes // of the recipes that are on other systems than ZooKeeper
	Recipe            string
	Cure              string // of a pitfall: the recipe that does it right
	Clients, Rounds   string
	Seed, Hold        string
	Servers           string    // empty for as many as the recipe asks for,
	UsualServers      string    // which is this
	Database          string    // that a recipe with tables runs on; empty if nobody says
	Even              *Even     // what their number is worth, nil for an odd one
	Flaws             []string  // of the servers, by name
	Shows             string    // the address of the smallest run in which their flaw shows
	Rules             []LabRule // that a task can be to break
	Task              LabTask   // its zero value for none
	Latency, Timeout  string    // empty for the usual
	UsualLatency      string
	Arrivals          []string
	Faults            []string
	Hidden            [][2]string // parameters without a field of their own
	SessionTimeout    string      // as a fault's duration is written: "10s"
	Source            Source
	Query             string            // the scenario, for the stage
	Place             string            // the moment to show: the rest of the stage's address, empty for the start
	Besides           []Beside          // that the stage offers
	Beside            string            // of the run beside it, as given: its recipe, or what is different
	BesideSeed        string            // empty for the same
	Error             sentence.Sentence // why it cannot be run, if it cannot
}

// Nodes are those that a recipe's programs talk to.
type Nodes struct {
	Count    string
	Replicas bool        // some follow another
	Tables   bool        // it is a database
	Where    fault.Where // what can be done in its runs
}

// faultWords are the words for a kind of fault in the lab's list.
func (f Frame) faultWords(k fault.Kind) string {
	if k.Target() == fault.ToNode {
		return f.Say("lab.kind.node." + k.String())
	}
	return f.Say("lab.kind." + k.String())
}

// labKinds are the kinds of faults in the lab's list.
func labKinds() []fault.Kind {
	return slices.Concat(fault.Kinds(), slices.DeleteFunc(fault.ToClients(fault.OnOthers), func(k fault.Kind) bool {
		return k.Where() == fault.Anywhere
	}), fault.ToNodes())
}

// Even is what is to be said of an even number of servers.
type Even struct {
	Servers, Fewer string
	Lesson         *lessons.PageLink // that shows why, nil if there is none
	Anchor         string            // of its step
}

// isRecipe reports whether the form's lists have a recipe of that name.
func (p LabProps) isRecipe(name string) bool {
	return slices.Contains(p.Recipes, name) || slices.Contains(p.Pitfalls, name)
}

// Beside is a run that can stand beside the one on the stage.
type Beside struct{ Query, Label string }

// LabRule is a rule to choose.
type LabRule struct {
	Name  string
	Title sentence.Sentence
}

// LabTask is a task that somebody has made of a run and sends as a link: all in it is theirs.
type LabTask struct {
	Title, Rule, Par string // as given
	Text             string // what its maker says of it, as given
	Goal             sentence.Sentence
	Task             string // as challenge.Parse reads it; empty if there is none
	Link             string // the task's own address, in the source language
}

// challenge is the task as the box shows it.
func (f Frame) challenge(t LabTask) lessons.PageChallenge {
	par, _ := strconv.Atoi(t.Par)
	return lessons.PageChallenge{
		Task: t.Task, Goal: f.Say("lab.task.goal", f.says(t.Goal)), Won: f.Say("lab.task.won"), Par: par,
	}
}

// CompareProps is the page of costs: charts, and a table with the same figures.
type CompareProps struct {
	Frame
	Choices []CompareChoice
	Clients string // as given: "2,10,100"
	Voters  string // how many servers vote on the simulator, as given
	Watch   string // how many only watch, as given; empty for none
	Even    *Even  // what the number of voters is worth, nil for an odd one
	Between bool   // the figures of servers that talk to each other are among those shown
	Live    bool   // also on a real ZooKeeper
	Runs    int    // how many were measured
	Missing int    // how many are still being measured on the simulator
	// LiveMissing is how many were not measured on the real ZooKeeper.
	LiveMissing int
	Key         []ChartKey
	Charts      []Chart
	Costs       []CostGroup
	Error       sentence.Sentence
}

// columns is how many the table has.
func (p CompareProps) columns() int {
	n := 6
	for _, more := range []bool{p.Live, p.Between} {
		if more {
			n++
		}
	}
	return n
}

// CompareChoice is a recipe that can be compared.
type CompareChoice struct {
	Name   string
	Chosen bool
}

// Chart is a drawing in the units of its ViewBox. Title is the key of its words; AxisX and AxisY are where to
// name the horizontal axis. One without Lines has nothing to draw.
type Chart struct {
	Title, ViewBox string
	AxisX, AxisY   string
	Grid           []ChartGrid
	Lines          []ChartLine
}

// ChartGrid is one line of the grid with what it stands for.
type ChartGrid struct{ Class, Path, X, Y, Text string }

// ChartLine is what a recipe cost on one host, with a sign at each point.
type ChartLine struct{ Class, Path, Signs string }

// ChartKey says which line is whose: a recipe's by Text, or all of a Host.
type ChartKey struct{ Class, Sign, Text, Host string }

// CostGroup is a recipe's part of the table.
type CostGroup struct {
	Recipe string
	Rows   []CostRow
}

// CostRow is a row of the table, in words and numbers ready to be read.
type CostRow struct{ Waiters, Host, Wakeups, Most, Requests, Bytes, Between, Time string }

// RecipesProps is the catalogue.
type RecipesProps struct {
	Frame
	Groups []RecipeGroup
}

// RecipeGroup is recipes for one purpose, and pitfalls that they cure.
type RecipeGroup struct {
	ID                string
	Recipes, Pitfalls []RecipeCard
}

// RecipeCard is one recipe of the catalogue.
type RecipeCard struct {
	Name       string
	Promises   []sentence.Sentence // the titles of rules that hold always; of a pitfall, those that it breaks
	Limits     []sentence.Sentence // of rules that hold while no session ends unnoticed and none of Harms happens
	Harms      []string            // faults, by name
	Sources    []string
	Cure       string // of a pitfall: the recipe that does it right
	Seen       string // of a pitfall: the rest of the lab's address, where it breaks a promise
	MinClients int
	Servers    int // that it asks for, 0 for a server alone
	Source     Source
	Lesson     *lessons.PageLink // where it is taught, if anywhere
}

// calm says what a recipe's limits are: that no session ends unnoticed, and no other harm is done.
func (f Frame) calm(harms []string) string {
	text := f.Say("recipes.calm")
	for i, name := range harms {
		join := "recipes.calm.more"
		if i == len(harms)-1 {
			join = "recipes.calm.last"
		}
		text = f.Say(join, text, f.Say("recipes.without."+name))
	}
	return text
}

// ErrorProps is a page for what went wrong.
type ErrorProps struct {
	Frame
	Status int // of HTTP
}

// picture is the address of a step's picture. The two themes are two pictures; CSS shows one of them.
func (f Frame) picture(slug, anchor, theme string) string {
	if slug == "" { // of a recipe
		return f.Base + f.Lang.To("/recipes/"+anchor+".svg?theme="+theme)
	}
	return f.Base + f.Lang.To("/lessons/"+slug+"/"+anchor+".svg?theme="+theme)
}

// asset is the address of a file under static.
func (f Frame) asset(name string) string {
	if f.Version == "" {
		return f.Base + "/static/" + name
	}
	return f.Base + "/static/" + name + "?v=" + f.Version
}

// to is the address of another page in the language of this one.
func (f Frame) to(address string) templ.SafeURL { return templ.SafeURL(f.Base + f.Lang.To(address)) }

// panelsOf names the panels that a step opens, as panels.js takes them. A challenge needs the inspector's buttons.
func panelsOf(s lessons.PageStep) string {
	var names []string
	for _, panel := range s.Opens {
		names = append(names, string(panel))
	}
	if s.Challenge != nil {
		names = append(names, string(lessons.PanelInspector))
	}
	return strings.Join(names, " ")
}

func itoa(n int) string { return strconv.Itoa(n) }

// query escapes a value for an address.
func query(s string) string { return url.QueryEscape(s) }

// segment is a part of an address's path.
func segment(s string) string { return url.PathEscape(s) }

// named reports whether there is a ZooKeeper to show.
func (p LiveProps) named() bool { return p.Servers != "" || p.Cluster != "" }

// where is what the page calls it.
func (p LiveProps) where() string { return cmp.Or(p.Cluster, p.Servers) }
