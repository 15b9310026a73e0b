package main

import (
	"errors"
	"fmt"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run"
)

type checkCmd struct {
	Trace string `arg:"" help:"A file saved with viz-server run --trace."`
	JSON  bool   `name:"json" help:"Print one JSON object, as run --json does."`
}

func (c *checkCmd) Run(term *terminal) error {
	var header event.Header
	var tally *run.Tally
	var progress *progress
	complete, err := readTrace(term.ctx, c.Trace, func(h event.Header) event.Sink {
		header, tally = h, run.NewTally(h)
		progress = startProgress(term, tally)
		return progress
	})
	if progress != nil {
		progress.stop()
	}
	if err != nil {
		return err
	}
	verdict := printReport(term, header, tally, c.JSON)
	lack := c.checkJudged(header, complete)
	switch {
	case lack == nil:
		return verdict
	case errors.Is(verdict, errVerdict):
		return lack
	}
	return errors.Join(verdict, lack)
}

// checkJudged returns an error if the trace lacks something for a verdict. Observations need no promises and no end.
func (c *checkCmd) checkJudged(h event.Header, complete bool) error {
	if run.Observed(h) {
		return nil
	}
	var unjudged, start error
	if why := run.Unjudged(h); why.Key != "" {
		unjudged = fmt.Errorf("%s: %s", c.Trace, voice().Says(why))
	}
	if !complete {
		start = fmt.Errorf("%s: the trace stops before the end of its run, so this covers only its start", c.Trace)
	}
	return errors.Join(unjudged, start)
}
