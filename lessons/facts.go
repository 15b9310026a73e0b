package lessons

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/stage/player"
)

// maxFile is the largest facts or prose file, in bytes.
const maxFile = 64 << 10

// The types below mirror facts.json.

type lessonFacts struct {
	After    []string    `json:"after"`
	Recipe   string      `json:"recipe"`
	Scenario run.Given   `json:"scenario"`
	Steps    []stepFacts `json:"steps"`
}

type stepFacts struct {
	Anchor    string          `json:"anchor"`
	Until     *conditionFacts `json:"until"`
	Again     string          `json:"again"`
	Loop      string          `json:"loop"`
	Linger    duration        `json:"linger"`
	Focus     []string        `json:"focus"`
	Claims    []string        `json:"claims"`
	Numbers   []string        `json:"numbers"`
	Opens     []Panel         `json:"opens"`
	Ask       *askFacts       `json:"ask"`
	Challenge *challengeFacts `json:"challenge"`
	Try       []Button        `json:"try"`
	Repair    *repairFacts    `json:"repair"`
	Order     []lineFacts     `json:"order"`
	Join      bool            `json:"join"`
	Beside    *besideFacts    `json:"beside"`
	Vary      []valueFacts    `json:"vary"`
}

// besideFacts is a run like the lesson's, with another recipe or scenario.
type besideFacts struct {
	Recipe   string        `json:"recipe"`
	Scenario run.Given     `json:"scenario"`
	InStep   player.InStep `json:"in_step"`
	Rule     string        `json:"rule"`
}

type conditionFacts struct {
	Kind    string      `json:"kind"`
	Client  event.Actor `json:"client"`
	Server  int         `json:"server"`
	Text    string      `json:"text"`
	Op      string      `json:"op"`
	Path    string      `json:"path"`
	Failed  bool        `json:"failed"`
	Nth     int         `json:"nth"`
	Ever    bool        `json:"ever"`
	Blocked int         `json:"blocked"`
	Inside  int         `json:"inside"`
}

type askFacts struct {
	Measure string   `json:"measure"`
	Marks   []string `json:"marks"`
	Choices []Choice `json:"choices"`
}

type challengeFacts struct {
	Rule     string   `json:"rule"`
	Times    int      `json:"times"`
	Mend     bool     `json:"mend"`
	Par      int      `json:"par"`
	Forbid   []string `json:"forbid"`
	Solution []string `json:"solution"`
}

// duration is written like "2.5s".
type duration time.Duration

func (d *duration) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) != nil {
		return durationError(b)
	}
	v, err := time.ParseDuration(s)
	if err != nil || v < 0 {
		return durationError(b)
	}
	*d = duration(v)
	return nil
}

// durationError is text that should be a duration.
type durationError string

func (e durationError) Error() string {
	return fmt.Sprintf("%s is not a duration; write it like \"2.5s\"", string(e))
}

// readFacts fills l from the file. Every field must be known and make sense.
func (l *Lesson) readFacts(fsys fs.FS, name string) error {
	data, err := readLimited(fsys, name)
	if err != nil {
		return err
	}
	var f lessonFacts
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		return fmt.Errorf("%s:%d: %w", name, faultLine(data, dec, err), err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return fmt.Errorf("%s:%d: something follows the facts", name, lineAt(data, dec.InputOffset()))
	}
	if err := l.takeFacts(f); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (l *Lesson) takeFacts(f lessonFacts) error {
	if err := l.takeScenario(f); err != nil {
		return fmt.Errorf("scenario: %w", err)
	}
	l.After = f.After
	for _, sf := range f.Steps {
		if sf.Anchor == "" {
			return fmt.Errorf("step %d has no anchor", len(l.Steps)+1)
		}
		if l.Step(sf.Anchor) != nil {
			return fmt.Errorf("duplicate step %s", sf.Anchor)
		}
		s, err := sf.step()
		if err == nil && sf.Beside != nil {
			s.Beside, err = sf.Beside.of(f)
		}
		if err == nil {
			s.Values, err = sf.values(f)
		}
		if err != nil {
			return fmt.Errorf("step %s: %w", sf.Anchor, err)
		}
		for i, f := range s.Focus {
			if f == "root" {
				s.Focus[i] = l.Scenario.WithDefaults().Root
			}
		}
		l.Steps = append(l.Steps, s)
	}
	return l.checkFacts()
}

func (l *Lesson) takeScenario(f lessonFacts) error {
	if err := f.Scenario.Set("recipe", f.Recipe); err != nil {
		return err
	}
	l.Scenario = f.Scenario.Scenario()
	l.Scenario.Lines = true
	return nil
}

func (f stepFacts) step() (Step, error) {
	s := Step{
		Anchor: f.Anchor, Again: f.Again, Loop: f.Loop, Linger: time.Duration(f.Linger), Focus: f.Focus, Opens: f.Opens,
		Buttons: f.Try, Join: f.Join, Numbers: f.Numbers,
	}
	var err error
	if s.Claims, err = parseClaims(f.Claims, f.Beside != nil); err != nil {
		return s, err
	}
	if f.Until != nil {
		if s.Until, err = f.Until.condition(); err != nil {
			return s, fmt.Errorf("until: %w", err)
		}
	}
	if f.Ask != nil {
		s.Question = &Question{Choices: f.Ask.Choices, Marks: f.Ask.Marks}
		if s.Question.Measure, err = ParseMeasure(f.Ask.Measure); err != nil {
			return s, fmt.Errorf("ask: %w", err)
		}
	}
	if c := f.Challenge; c != nil {
		s.Challenge = &Challenge{
			Rule: c.Rule, Times: cmp.Or(c.Times, 1), Mend: c.Mend, Par: c.Par, Forbid: c.Forbid,
			Solution: c.Solution,
		}
	}
	if f.Repair != nil {
		if s.Repair, err = f.Repair.repair(); err != nil {
			return s, fmt.Errorf("repair: %w", err)
		}
	}
	if f.Order != nil {
		if s.Order, err = order(f.Order); err != nil {
			return s, fmt.Errorf("order: %w", err)
		}
	}
	return s, nil
}

func (f conditionFacts) condition() (*Condition, error) {
	c := &Condition{
		Client: f.Client, Server: f.Server, Text: f.Text, Path: f.Path, Failed: f.Failed,
		Nth: max(f.Nth, 1), Ever: f.Ever, Blocked: f.Blocked, Inside: f.Inside,
	}
	var ok bool
	if c.Kind, ok = event.ParseKind(f.Kind); f.Kind != "" && !ok {
		return nil, fmt.Errorf("unknown kind of event %q", f.Kind)
	}
	if c.Op, ok = event.ParseOp(f.Op); f.Op != "" && !ok {
		return nil, fmt.Errorf("unknown operation %q", f.Op)
	}
	clients := conditionFacts{Blocked: f.Blocked, Inside: f.Inside}
	switch {
	case f.Kind == "" && f != clients:
		return nil, errors.New("the kind of the event is missing")
	case f.Kind == "" && f.Blocked == 0 && f.Inside == 0:
		return nil, errors.New("name an event, or how many clients are blocked or inside")
	case f.Nth < 0 || f.Blocked < 0 || f.Inside < 0 || f.Client < 0 || f.Server < 0:
		return nil, errors.New("nth, blocked, inside, client and server must not be negative")
	}
	return c, nil
}

func readLimited(fsys fs.FS, name string) ([]byte, error) {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: larger than %d bytes", name, maxFile)
	}
	return data, nil
}

// faultLine returns the line of a decoding error. For an unknown field and for a duration the decoder doesn't say
// where: then it is the first mention.
func faultLine(data []byte, dec *json.Decoder, err error) int {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return lineAt(data, syntax.Offset)
	}
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return lineAt(data, kind.Offset)
	}
	var field, mention string
	var written durationError
	if n, _ := fmt.Sscanf(err.Error(), "json: unknown field %q", &field); n == 1 {
		mention = `"` + field + `"`
	} else if errors.As(err, &written) {
		mention = string(written)
	}
	if i := bytes.Index(data, []byte(mention)); mention != "" && i >= 0 {
		return lineAt(data, int64(i))
	}
	return lineAt(data, dec.InputOffset())
}

func lineAt(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(int(offset), len(data))], []byte("\n"))
}
