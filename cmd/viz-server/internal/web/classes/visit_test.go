package classes_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"nhooyr.io/websocket"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/classes"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
)

// hello is a teacher's first message.
func hello(secret string) string { return fmt.Sprintf(`{"do":"hello","secret":%q}`, secret) }

// join is a learner's first message.
func join(number int) string {
	return fmt.Sprintf(`{"do":"join","key":"learner-%012d","name":"L%[1]d","follows":true}`, number)
}

// patient serves classes alone, with patience for pages on a machine that has other things to do.
func patient(t testing.TB) *httptest.Server { return serving(t, classes.Config{}) }

// serving is patient with more in its configuration.
func serving(t testing.TB, cfg classes.Config) *httptest.Server {
	on, err := site.New(site.Config{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	stop, end := context.WithCancel(context.Background())
	cfg.Site, cfg.Stop, cfg.Patience = on, stop, time.Hour
	s := classes.New(cfg)
	mux := http.NewServeMux()
	for path, answer := range s.Routes() {
		on.Handle(mux, path, answer)
	}
	srv := httptest.NewServer(mux)
	t.Cleanup(func() { end(); s.Close(); srv.Close() })
	return srv
}

func say(what string) func(webtest.View) bool {
	return func(v webtest.View) bool { return v.Say == what }
}

// TestAClassTogether has as many learners as a lecture hall holds join a class, follow its teacher, answer a question
// and see what is right. Each gets each of that.
func TestAClassTogether(t *testing.T) {
	for _, learners := range []int{30, 1000} {
		t.Run(fmt.Sprint(learners), func(t *testing.T) {
			if testing.Short() && learners > 30 {
				t.Skip("it takes seconds")
			}
			srv := patient(t)
			name, secret := webtest.BeginClass(t, srv, "/lessons/the-herd")
			teacher := webtest.Enter(t, srv, name, hello(secret))
			all := make([]*webtest.Pupil, learners)
			each(t, all, func(i int) {
				all[i] = webtest.Enter(t, srv, name, join(i))
				if you := all[i].Until(say("you")); you.Number == 0 || you.Name != fmt.Sprintf("L%d", i) {
					t.Errorf("learner %d is %+v", i, you)
				}
				if at := all[i].Until(say("place")); at.Page != "/lessons/the-herd" {
					t.Errorf("learner %d is led to %+v", i, at)
				}
			})
			teacher.Until(func(v webtest.View) bool { return v.Dots == strings.Repeat("h", learners) })
			teacher.Send(`{"do":"lead","place":{"page":"/lab","query":"recipe=unique-lock","playing":true,"speed":2}}`)
			each(t, all, func(i int) {
				all[i].Until(func(v webtest.View) bool { return v.Page == "/lab" && v.Query == "recipe=unique-lock" })
			})
			teacher.Send(`{"do":"pose","question":{"id":"the-herd/1","choices":3,"right":1}}`)
			each(t, all, func(i int) {
				v := all[i].Until(func(v webtest.View) bool { return v.Question != nil && v.Question.Open })
				if v.Question.Right != -1 || v.Question.Counts != nil {
					t.Errorf("learner %d is told what is right", i)
				}
				all[i].Send(fmt.Sprintf(`{"do":"answer","number":1,"choice":%d}`, i%3))
				all[i].Until(func(v webtest.View) bool { return v.Say == "you" && v.Choice != nil && *v.Choice == i%3 })
			})
			teacher.Until(func(v webtest.View) bool { return v.Dots == strings.Repeat("H", learners) })
			teacher.Send(`{"do":"reveal"}`)
			each(t, all, func(i int) {
				v := all[i].Until(func(v webtest.View) bool { return v.Question != nil && v.Question.Revealed })
				if c := v.Question.Counts; len(c) != 3 || c[0]+c[1]+c[2] != learners || v.Question.Right != 1 {
					t.Errorf("learner %d sees %+v", i, v.Question)
				}
			})
		})
	}
}

// each calls f for all at once, and ends the test if it fails.
func each(t *testing.T, all []*webtest.Pupil, f func(i int)) {
	var wg sync.WaitGroup
	for i := range all {
		wg.Go(func() { f(i) })
	}
	if wg.Wait(); t.Failed() {
		t.FailNow()
	}
}

// closed returns why a page's connection ends, and what it was told before.
func closed(p *webtest.Pupil) (code websocket.StatusCode, told []webtest.View) {
	for {
		v, err := p.Next()
		if err != nil {
			return websocket.CloseStatus(err), told
		}
		told = append(told, v)
	}
}

// TestGuesses checks that wrong secrets end connections, from the eleventh on without an answer, and lock neither
// learners nor the teacher out who have the same address.
func TestGuesses(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	name, secret := webtest.BeginClass(t, srv, "/lab")
	for i := range 15 {
		code, told := closed(webtest.Enter(t, srv, name, hello(fmt.Sprint("guess ", i))))
		if code != websocket.StatusPolicyViolation || len(told) != map[bool]int{true: 1, false: 0}[i < 10] ||
			i < 10 && (told[0].Do != "hello" || told[0].Why != "This isn't the secret of this class.") {
			t.Errorf("guess %d: %d, told %+v", i+1, code, told)
		}
	}
	webtest.Enter(t, srv, name, join(1)).Until(say("you"))
	if you := webtest.Enter(t, srv, name, hello(secret)).Until(say("you")); !you.Teacher {
		t.Error("guesses have locked the teacher out")
	}
}

// TestHostileMessages checks that a class refuses what no page of ours sends, that nobody else notices, and that one
// who goes on with it is cut off.
func TestHostileMessages(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	name, secret := webtest.BeginClass(t, srv, "/lab")
	teacher := webtest.Enter(t, srv, name, hello(secret))
	p := webtest.Enter(t, srv, name, join(1))
	p.Until(say("place"))
	refused := func(text, do, why string) {
		t.Helper()
		p.Send(text)
		if v := p.Until(say("error")); v.Do != do || !strings.Contains(v.Why, why) {
			t.Errorf("%.80s: %+v", text, v)
		}
	}
	refused(`{"do":"lead","place":{"page":"/lessons/a"}}`, "lead", "Only the class's teacher")
	refused(`{"do":"end"}`, "end", "Only the class's teacher")
	refused(`{"do":"answer","number":1,"choice":0}`, "answer", "no such question")
	refused(`{"do":"rename","name":"\u202eevil"}`, "rename", "at most 40 characters")
	refused(`{"do":"<script>"}`, "", "isn't a message")
	refused(`{"do":"join","key":"short"}`, "join", "isn't a message")
	refused(`not JSON`, "", "isn't a message")
	if err := p.Conn.Write(t.Context(), websocket.MessageBinary, []byte("x")); err != nil {
		t.Fatal(err)
	}
	p.Until(say("error"))
	p.Send(`{"do":"rename","name":"<img src=x onerror=alert(1)>"}`)
	teacher.Until(func(v webtest.View) bool { return v.Names[1] == "<img src=x onerror=alert(1)>" })

	flood := webtest.Enter(t, srv, name, join(2))
	go func() {
		for range 1000 {
			if flood.Conn.Write(t.Context(), websocket.MessageText, []byte(`{"do":"answer","number":1,"choice":0}`)) != nil {
				return
			}
		}
	}()
	if code, _ := closed(flood); code != websocket.StatusPolicyViolation && code != -1 {
		t.Errorf("a flood ends with %d", code)
	}
	long := webtest.Enter(t, srv, name, join(3))
	text := `{"do":"rename","name":"` + strings.Repeat("x", 100_000) + `"}`
	_ = long.Conn.Write(t.Context(), websocket.MessageText, []byte(text)) // fails if the end comes first
	if code, _ := closed(long); code != websocket.StatusMessageTooBig && code != -1 {
		t.Errorf("a message of 100,000 characters ends with %d", code)
	}
	p.Send(`{"do":"rename","name":"still here"}`)
	teacher.Until(func(v webtest.View) bool { return v.Names[1] == "still here" })
}

// TestForeignOrigin checks that a page of another site connects to no class.
func TestForeignOrigin(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	name, _ := webtest.BeginClass(t, srv, "/lab")
	_, resp, err := websocket.Dial(t.Context(), srv.URL+"/class/"+name+"/ws", &websocket.DialOptions{
		HTTPHeader: http.Header{"Origin": {"http://evil.example"}}})
	if err == nil || resp.StatusCode != http.StatusForbidden {
		t.Errorf("a foreign page connects: %v", err)
	}
}

// TestReplayed checks that what was said before, or on another connection, has no effect when it is said again.
func TestReplayed(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	name, secret := webtest.BeginClass(t, srv, "/lab")
	teacher := webtest.Enter(t, srv, name, hello(secret))
	p := webtest.Enter(t, srv, name, join(1))
	const pose = `{"do":"pose","question":{"id":"q/1","choices":2,"right":0}}`
	const answer = `{"do":"answer","number":1,"choice":0}`
	teacher.Send(pose)
	p.Until(func(v webtest.View) bool { return v.Question != nil })
	p.Send(answer)
	p.Until(func(v webtest.View) bool { return v.Choice != nil })
	teacher.Send(pose)
	p.Until(func(v webtest.View) bool { return v.Question != nil && v.Question.Number == 2 })
	p.Send(answer)
	p.Until(say("error"))
	again := webtest.Enter(t, srv, name, join(1))
	if v := again.Until(say("you")); v.Number != 1 {
		t.Errorf("the same learner is number %d", v.Number)
	}
	if v := teacher.Until(say("class")); v.Learners > 1 {
		t.Errorf("there are %d learners", v.Learners)
	}
}

// TestOneAddressServesMost has 3,000 pages of one address join. Most are served, and a learner from another gets in.
func TestOneAddressServesMost(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	srv := patient(t)
	name, _ := webtest.BeginClass(t, srv, "/lab")
	const pages, places, learners = 3000, 2500, 1500
	school := webtest.From(2)
	var mu sync.Mutex
	ends := map[string]int{}
	each(t, make([]*webtest.Pupil, pages), func(i int) {
		p, err := webtest.Visit(t, srv, school, name)
		end := "no place"
		if err == nil {
			p.Send(join(i))
			end = p.Until(func(v webtest.View) bool { return v.Say == "you" || v.Say == "error" }).Say
		}
		mu.Lock()
		ends[end]++
		mu.Unlock()
	})
	if ends["no place"] != pages-places || ends["you"] != learners {
		t.Errorf("of %d pages, these are the ends: %v", pages, ends)
	}
	home, err := webtest.Visit(t, srv, webtest.From(3), name)
	if err != nil {
		t.Fatal(err)
	}
	home.Send(join(pages))
	if v := home.Until(say("you")); v.Number != learners+1 {
		t.Errorf("a learner from another address is number %d", v.Number)
	}
}

// TestGone checks what a page is told if there is no such class, and if the server stops.
func TestGone(t *testing.T) {
	s := webtest.NewServer(t, web.Config{})
	srv := httptest.NewServer(s)
	defer srv.Close()
	name, _ := webtest.BeginClass(t, srv, "/lab")
	p, err := webtest.Visit(t, srv, http.DefaultClient, "zzzzzz")
	if err != nil {
		t.Fatal(err)
	}
	if _, told := closed(p); len(told) != 1 || told[0].Say != "gone" || !strings.Contains(told[0].Why, "no such class") {
		t.Errorf("without a class, a page is told %+v", told)
	}
	learner := webtest.Enter(t, srv, name, join(1))
	learner.Until(say("place"))
	var ended sync.WaitGroup
	ended.Go(s.Close)
	if code, _ := closed(learner); code != websocket.StatusGoingAway {
		t.Errorf("when the server stops, the connection ends with %d", code)
	}
	ended.Wait()
}

// TestLanguage checks that errors are in the language of the address.
func TestLanguage(t *testing.T) {
	srv := webtest.Serve(t, web.Config{Pseudo: true})
	name, _ := webtest.BeginClass(t, srv, "/lab")
	conn, _, err := websocket.Dial(t.Context(), srv.URL+"/en-XA/class/"+name+"/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Write(t.Context(), websocket.MessageText, []byte(`{"do":"end"}`)); err != nil {
		t.Fatal(err)
	}
	if _, text, err := conn.Read(t.Context()); err != nil || !strings.Contains(string(text), "[!! ") {
		t.Errorf("the error is %s %v", text, err)
	}
}
