package main

import (
	"context"
	"errors"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/testing/need"
	"github.com/zkviz/zkviz/lessons"
	"github.com/zkviz/zkviz/static"
)

// TestBrowser drives the page in headless Chromium like a person, by keyboard and pointer. It waits for marks on the
// page's root element, never for frames or time. Any error on the console fails the test, including a violation of
// the page's policy.
func TestBrowser(t *testing.T) {
	const everyKind = "every kind of page"
	b := openBrowser(t)
	for _, test := range []struct {
		name string
		run  func(*testing.T, *browser)
	}{
		{everyKind, everyPage},
		{"a fault on a real ZooKeeper", liveFault}, // the slow ones first
		{"a lesson on a real ZooKeeper", liveLesson},
		{"a live subtree", liveSubtree},
		{"the locks of a cluster", locksOfACluster},
		{"a recording", aRecording},
		{"the past", thePast},
		{"three servers and a wrong port", liveServers},
		{"a client of one's own in the zoo", joinTheZoo},
		{"an ensemble in the zoo", crashInTheZoo},
		{"a lock of one's own in the zoo", takeTheLock},
		{"comparing in the lab", compareInTheLab},
		{"two runs beside each other", twoRuns},
		{"a chosen value", aChosenValue},
		{"nothing is live but by a deed", liveByDeed},
		{"longer words", longerWords},
		{"lessons", everyLesson},
		{"lessons of a site of files", everyLessonFromFiles},
		{"the course", theCourse},
		{"the picture in words", thePictureInWords},
		{"for everybody", forEverybody},
		{"the repair", theRepair},
		{"the order", theOrder},
		{"lines by pointer", linesByPointer},
		{"by pointer", byPointer},
		{"two believe", twoBelieve},
		{"a thousand dots", theHerd},
		{"around the stage", aroundTheStage},
		{"a challenge", challenge},
		{"what the reader leaves open", leftOpen},
		{"answers", keptAnswers},
		{"questions that come back", comesBack},
		{"odd answers", comesBackOddly},
		{"all questions", allQuestions},
		{"what a term means", termsMeaning},
		{"the menu at the stage", byMenu},
		{"the menu of a server", byMenuOfServers},
		{"the menu of a message", byMenuOfMessages},
		{"presenting", presenting},
		{"a class", aClass},
		{"a class of thirty", aClassOfThirty},
		{"a class over servers", aClassOverServers},
		{"phones as clients", thePhones},
		{"phones over servers", thePhonesOverServers},
		{"our own servers", ourOwnServers},
		{"a run that is lost", lostRun},
		{"a server that is lost", lostServer},
		{"a server that hangs", hangingServer},
		{"long runs", longRuns},
		{"a full zoo", fullZoo},
		{"a clip", recordAClip},
		{"the story", theStory},
		{"the story of the zoo", storyOfTheZoo},
		{"the story in the page", storyInThePage},
		{"save the log", saveTheLog},
		{"links to moments", linkedMoments},
		{"one page follows another", onePageFollows},
		{"what if", whatIf},
		{"what if at night", whatIfAtNight},
		{"what if of much", whatIfOfMuch},
		{"a lesson opens at once", opensAtOnce},
		{"pause draws nothing", pauseDrawsNothing},
		{"the first step and the last", firstAndLast},
		{"without scripts", withoutScripts},
		{"without WebGL", withoutWebGL},
		{"on still pictures", onStills},
		{"the same picture", samePicture},
		{"on every screen", onEveryScreen},
		{"turned and printed", turnsAndPrints},
		{"titles in sight", titlesInSight},
		{"without the program", withoutProgram},
		{"play before the stage", playsWhenItComes},
		{"bad luck", badLuck},
		{"without a part of the page", withoutAPart},
		{"strangers fail", strangersFail},
		{"an opened file", openedFile},
		{"bad luck in the worker", badLuckInTheWorker},
		{"no server and no engine", lostServerAndEngine},
		{"a dying worker", dyingWorker},
		{"a resting worker", restingWorker},
		{"bad links", badLinks},
		{"nothing is kept", nothingKept},
		{"kept apart from others", keptApart},
		{"from elsewhere", fromElsewhere},
		{"a site of files", siteOfFiles},
		{"with and without a server", withAndWithout},
		{"exploring", exploring},
		{"compared without a server", comparedHere},
		{"on a page of a course", onACourse},
		{"in a tight sandbox", inTightSandbox},
		{"in an LMS", inAnLMS},
		{"without a network", withoutNetwork},
		{"a phone without a network", aPhoneOffline},
		{"little room", littleRoom},
	} {
		t.Run(test.name, func(t *testing.T) {
			if testing.Short() != (test.name == everyKind) {
				t.Skip("one visitor sees every kind of page with -short, the others without")
			}
			t.Parallel()
			test.run(t, b)
		})
	}
}

// browser is a Chromium with the lessons under test.
type browser struct {
	ctx  context.Context
	book *lessons.Book
	url  string // a server with the simulator only
}

// longest bounds the whole test, including software rendering on a busy machine, if the test has no deadline.
// lastWords before that remains for error reports.
const longest, lastWords = 2 * time.Hour, time.Minute

func openBrowser(t *testing.T) *browser {
	t.Helper()
	b := &browser{ctx: launch(t)}
	var err error
	if b.book, err = lessons.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.url = b.serve(t, web.Config{})
	return b
}

// launch starts a Chromium. Without one it skips the test, unless CI is set in the environment.
func launch(t testing.TB, options ...chromedp.ExecAllocatorOption) context.Context {
	t.Helper()
	f, err := static.Files.Open("built/stage.wasm")
	if err != nil {
		t.Fatal("static/built/stage.wasm is missing; build it with: make wasm")
	}
	f.Close()
	path := chromium()
	if path == "" {
		need.Installed(t, errors.New("no Chromium is installed (Debian: apt install chromium)"))
	}
	end := time.Now().Add(longest)
	if test, ok := t.(*testing.T); ok {
		if last, ends := test.Deadline(); ends {
			end = last.Add(-lastWords)
		}
	}
	ctx, cancel := context.WithDeadline(context.Background(), end) // the test's own context ends before its cleanups
	t.Cleanup(cancel)
	options = append(append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.WSURLReadTimeout(waitLimit),
		chromedp.Flag("use-angle", "swiftshader"), chromedp.Flag("enable-unsafe-swiftshader", true),
		chromedp.Flag("disable-gpu-compositing", true)), // without a GPU compositing takes three times as long
		options...)
	ctx, closeAll := chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(closeAll)
	ctx, closeFirst := chromedp.NewContext(ctx)
	t.Cleanup(closeFirst)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start %s: %v", path, err)
	}
	return ctx
}

func chromium() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// serve runs a server until the test ends.
func (b *browser) serve(t testing.TB, cfg web.Config) (url string) {
	t.Helper()
	url, _ = b.serveUntil(t, cfg)
	return url
}

// serveUntil runs a server until stop is called, or the test ends.
func (b *browser) serveUntil(t testing.TB, cfg web.Config) (url string, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	listening, ended := make(chan string, 1), make(chan error, 1)
	if cfg.Book == nil {
		cfg.Book = b.book
	}
	cfg.Listening = func(url string) { listening <- url }
	go func() { ended <- web.Serve(ctx, cfg) }()
	select {
	case url = <-listening:
	case err := <-ended:
		cancel()
		t.Fatal(err)
	}
	end := sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	t.Cleanup(end)
	return url, end
}
