package attack

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"nhooyr.io/websocket"
)

// ledPause is how often the polite class's teacher goes on, and ledWaits how long its learner waits for that.
const (
	ledPause = 500 * time.Millisecond
	ledWaits = 5 * time.Second
)

// led is a polite class: a teacher, and a learner who must see what that teacher does, and nothing else. Attackers join
// it, too.
type led struct {
	teacher, learner *websocket.Conn
	number           int // of the last question
}

// seen is what the learner is told, as far as it matters.
type seen struct {
	Say, Page, Query string
	Number           int
	Choice           *int
	Ended            bool
	Question         *struct {
		ID             string
		Number, Right  int
		Open, Revealed bool
		Counts         []int
	}
}

// beginClass begins a class, and returns its name and its teacher's secret.
func beginClass(ctx context.Context, pages string, who from) (name, secret string, err error) {
	form := url.Values{"page": {"/lab"}}.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, pages+"/class/begin", strings.NewReader(form))
	if err != nil {
		return "", "", err
	}
	r.Header.Set("Origin", pages)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := who.browser().Do(r)
	if err != nil {
		return "", "", err
	}
	_ = answer.Body.Close()
	name, secret, ok := strings.Cut(strings.TrimPrefix(answer.Header.Get("Location"), "/class/"), "#teach=")
	if !ok {
		return "", "", fmt.Errorf("no class begins: %s", answer.Status)
	}
	return name, secret, nil
}

// teach has the polite class go on: places, and a question now and then.
func (g *guests) teach(ctx context.Context) {
	var c *led
	defer func() { c.leave() }()
	g.come(ctx, ledPause, ledWaits, func(r *result) *answers { return &r.led },
		func(ctx context.Context, i int) (kind string, err error) {
			defer func() {
				if err != nil {
					c.leave()
					c = nil
				}
			}()
			switch {
			case c == nil:
				c, err = g.enter(ctx)
				return "come into a class", err
			case i%10 == 5:
				return "answer in a class", c.ask(ctx)
			}
			return "follow a teacher", c.goTo(ctx, i)
		})
}

// enter opens the teacher's page and the learner's.
func (g *guests) enter(ctx context.Context) (c *led, err error) {
	c = &led{}
	at := "/class/" + g.server.class + "/ws"
	if c.teacher, err = (from{0, 5}).socketAt(ctx, g.server.pages, at); err != nil {
		return c, err
	}
	go func() { // ends with the connection
		for err := error(nil); err == nil; _, _, err = c.teacher.Read(context.Background()) {
		}
	}()
	if c.learner, err = (from{0, 6}).socketAt(ctx, g.server.pages, at); err != nil {
		return c, err
	}
	if err = write(ctx, c.teacher, `{"do":"hello","secret":%q}`, g.secret); err == nil {
		err = write(ctx, c.learner, `{"do":"join","key":"a-polite-learner-s-key","name":"Ana","follows":true}`)
	}
	if err != nil {
		return c, err
	}
	return c, c.until(ctx, func(v *seen) bool { return v.Say == "you" && v.Number > 0 })
}

// leave closes both pages. c may be nil.
func (c *led) leave() {
	if c == nil {
		return
	}
	for _, page := range []*websocket.Conn{c.teacher, c.learner} {
		if page != nil {
			_ = page.CloseNow() // deliberately abrupt
		}
	}
}

func write(ctx context.Context, page *websocket.Conn, format string, args ...any) error {
	return page.Write(ctx, websocket.MessageText, fmt.Appendf(nil, format, args...))
}

// goTo has the teacher go on, and the learner follow.
func (c *led) goTo(ctx context.Context, n int) error {
	to := fmt.Sprintf("at=%d", n)
	if err := write(ctx, c.teacher, `{"do":"lead","place":{"page":"/locks","query":%q}}`, to); err != nil {
		return err
	}
	return c.until(ctx, func(v *seen) bool { return v.Say == "place" && v.Query == to })
}

// ask has the teacher ask a question and show the answer, and the learner choose.
func (c *led) ask(ctx context.Context) error {
	was := c.number
	err := write(ctx, c.teacher, `{"do":"pose","question":{"id":"the-herd/1","choices":2,"right":1}}`)
	if err == nil {
		err = c.until(ctx, func(v *seen) bool { return v.Question != nil && v.Question.Open && v.Question.Number > was })
	}
	if err == nil {
		err = write(ctx, c.learner, `{"do":"answer","number":%d,"choice":1}`, c.number)
	}
	if err == nil {
		err = c.until(ctx, func(v *seen) bool { return v.Say == "you" && v.Choice != nil })
	}
	if err == nil {
		err = write(ctx, c.teacher, `{"do":"reveal"}`)
	}
	if err == nil {
		err = c.until(ctx, func(v *seen) bool { return v.Question != nil && v.Question.Revealed })
	}
	if err == nil {
		err = write(ctx, c.teacher, `{"do":"leave"}`)
	}
	return err
}

// until reads what the learner is told until it is what they wait for.
func (c *led) until(ctx context.Context, is func(*seen) bool) error {
	for {
		_, text, err := c.learner.Read(ctx)
		if err != nil {
			return err
		}
		var v seen
		if err := json.Unmarshal(text, &v); err != nil {
			return err
		}
		if why := v.wrong(); why != "" {
			return fmt.Errorf("a learner is told %s: %.200s", why, text)
		}
		if q := v.Question; q != nil {
			c.number = q.Number
		}
		if is(&v) {
			return nil
		}
	}
}

// wrong says what no learner of the polite class may be told, and is empty if it's nothing of that.
func (v *seen) wrong() string {
	q := v.Question
	switch {
	case v.Say == "gone", v.Ended:
		return "that the class is over"
	case v.Say == "dots", v.Say == "names":
		return "who else is there"
	case v.Say == "error":
		return "that something is refused"
	case v.Say == "place" && v.Page != "/locks" && v.Query != "":
		return "a place where its teacher isn't"
	case q != nil && q.ID != "the-herd/1":
		return "a question that its teacher hasn't asked"
	case q != nil && !q.Revealed && (q.Right >= 0 || q.Counts != nil):
		return "what is right, before it is shown"
	}
	return ""
}

// TestWrong plants each thing that a learner must not be told.
func TestWrong(t *testing.T) {
	for text, want := range map[string]string{
		`{"say":"place","page":"/lab"}`:                                                       "",
		`{"say":"place","page":"/locks","query":"at=1"}`:                                      "",
		`{"say":"place","page":"/lab","query":"at=1"}`:                                        "a place",
		`{"say":"class","ended":true}`:                                                        "is over",
		`{"say":"gone"}`:                                                                      "is over",
		`{"say":"dots","dots":"hh"}`:                                                          "who else",
		`{"say":"error"}`:                                                                     "refused",
		`{"say":"class","question":{"id":"the-herd/1","number":1,"right":-1}}`:                "",
		`{"say":"class","question":{"id":"the-herd/1","number":1,"right":1}}`:                 "what is right",
		`{"say":"class","question":{"id":"the-herd/1","number":1,"right":-1,"counts":[1,2]}}`: "what is right",
		`{"say":"class","question":{"id":"the-herd/1","number":1,"right":1,"counts":[1],"revealed":true}}`: "",
		`{"say":"class","question":{"text":"<b>","number":1,"right":-1}}`:                                  "a question",
	} {
		var v seen
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		if got := v.wrong(); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
