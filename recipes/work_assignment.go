package recipes

import (
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// crew is a leader that hands out tasks and members that work on them. What a member is to do stands in the
// member's own ephemeral znode: if it dies, its task is nobody's again, and anyone who leads sees all that was
// handed out, also by the leader before.
type crew struct {
	members string // the parent of one ephemeral znode for each, in line: the first leads
	tasks   string // the parent of one persistent znode for each task that is not done
	hold    time.Duration
}

// order puts all tasks there at once. That the parent has never had a child tells that it has not happened.
func (w crew) order(c zoo.Client, tasks int) error {
	var ops []zoo.Op
	for n := range tasks {
		ops = append(ops, zoo.CreateOp(w.tasks+"/task-"+strconv.Itoa(n+1), nil, zoo.Persistent))
	}
	for {
		_, err := c.Multi(ops...)
		if !kit.Unknown(err) {
			return err
		}
		if err := kit.CatchUp(c, w.tasks); err != nil {
			return err
		}
		stat, err := kit.StatOf(c, w.tasks)
		if err != nil || stat.Cversion > 0 {
			return err
		}
	}
}

// follow works on what the leader says until it is this member's turn to lead.
func (w crew) follow(c zoo.Client, me string) error {
	mine := w.members + "/" + me
	for {
		ahead, err := kit.Ahead(c, w.members, me)
		if err != nil || ahead == "" {
			return err
		}
		task, _, told, err := c.GetW(mine)
		if kit.Unknown(err) {
			continue
		}
		if err != nil {
			return err
		}
		if len(task) > 0 {
			if err := w.do(c, mine, string(task)); err != nil {
				return err
			}
			continue
		}
		_, _, gone, err := c.GetW(w.members + "/" + ahead)
		if errors.Is(err, zoo.ErrNoNode) || kit.Unknown(err) {
			continue
		}
		if err != nil {
			return err
		}
		c.Phase(program.Waiting, program.Subject{Path: mine})
		if _, err := c.Await(0, told, gone); err != nil {
			return err
		}
	}
}

// lead hands out tasks until none is left. It works itself only on what it was given as a member, or if
// nobody else is there.
func (w crew) lead(c zoo.Client, me string) error {
	for {
		tasks, stat, done, err := c.ChildrenW(w.tasks)
		if kit.Unknown(err) {
			continue
		}
		if err != nil || len(tasks) == 0 && stat.Cversion > 0 {
			return err
		}
		members, _, joined, err := c.ChildrenW(w.members)
		if kit.Unknown(err) {
			continue
		}
		if err != nil {
			return err
		}
		mine, err := w.assign(c, me, members, tasks)
		if kit.Unknown(err) || errors.Is(err, zoo.ErrNoNode) || errors.Is(err, zoo.ErrBadVersion) {
			continue // something has changed meanwhile: look again
		}
		if err != nil {
			return err
		}
		if mine != "" {
			if err := w.do(c, w.members+"/"+me, mine); err != nil {
				return err
			}
			continue
		}
		told, err := kit.WaitFor(c, done, joined)
		if err != nil || !told && len(tasks) == 0 {
			return err // nobody has ordered anything
		}
	}
}

// assign gives each task that nobody has to a member that has none. It returns what is left for the leader.
func (w crew) assign(c zoo.Client, me string, members, tasks []string) (mine string, err error) {
	given, idle := make(map[string]bool), make(map[string]int32)
	for _, name := range members {
		task, stat, err := c.Get(w.members + "/" + name)
		switch {
		case errors.Is(err, zoo.ErrNoNode):
			continue // it is gone, and what it had is nobody's
		case err != nil:
			return "", err
		case len(task) > 0:
			given[string(task)] = true
		case name != me || len(members) == 1:
			idle[name] = stat.Version
		}
		if name == me {
			mine = string(task)
		}
	}
	for _, task := range tasks {
		if given[task] {
			continue
		}
		name, found := firstOf(members, idle)
		if !found {
			break
		}
		// Only a task that is still there, to a member that is still idle.
		_, err := c.Multi(
			zoo.CheckOp(w.tasks+"/"+task, zoo.AnyVersion),
			zoo.SetOp(w.members+"/"+name, []byte(task), idle[name]))
		if err != nil {
			return "", err
		}
		delete(idle, name)
		if name == me {
			mine = task
		}
	}
	return mine, nil
}

func firstOf(members []string, idle map[string]int32) (string, bool) {
	i := slices.IndexFunc(members, func(name string) bool { _, ok := idle[name]; return ok })
	if i < 0 {
		return "", false
	}
	return members[i], true
}

// do works on the task. That it is done and that the member is idle becomes true in one transaction.
func (w crew) do(c zoo.Client, mine, task string) error {
	about := program.Subject{Path: w.tasks + "/" + task}
	c.Phase(program.Began, about)
	if err := kit.Handle(c, task, w.hold); err != nil {
		return err
	}
	for {
		_, err := c.Multi(zoo.DeleteOp(about.Path, zoo.AnyVersion), zoo.SetOp(mine, nil, zoo.AnyVersion))
		if kit.Unknown(err) {
			continue
		}
		// No task is there to delete: the first try went through, as nobody else finishes what is ours.
		if err == nil || errors.Is(err, zoo.ErrNoNode) {
			c.Phase(program.Done, about)
			return nil
		}
		return err
	}
}

// serve is a member's whole time in the crew.
func (w crew) serve(c zoo.Client) error {
	me, err := kit.Join(c, w.members, "member-")
	if err != nil {
		return err
	}
	if err := w.follow(c, me); err != nil {
		return err
	}
	lead := program.Subject{Path: w.members + "/" + me, Fence: kit.Number(me)}
	c.Phase(program.Leading, lead)
	if err := w.lead(c, me); err != nil {
		if errors.Is(err, zoo.ErrSessionExpired) {
			c.Phase(program.Lost, lead)
		}
		return err
	}
	c.Phase(program.Released, lead)
	return kit.Remove(c, lead.Path)
}

const worker = "worker"

func crewRole(index, _ int) string {
	if index == 1 {
		return customer
	}
	return worker
}

// mostTasks is how many go into one transaction.
const mostTasks = 100

func useWorkAssignment(c zoo.Client, p recipe.Params) error {
	w := crew{members: p.Root + "/members", tasks: p.Root + "/tasks", hold: p.Hold}
	if crewRole(p.Index, p.Clients) == customer {
		return w.order(c, min(p.Rounds*(p.Clients-1), mostTasks))
	}
	return w.serve(c)
}

var workAssignmentRecipe = recipe.Recipe{
	Kind:       recipe.Right,
	Name:       "work-assignment",
	File:       "work_assignment.go",
	Promises:   []string{promise.AllDone, promise.OneWorker, promise.TruthExclusion, promise.Progress, promise.Clean},
	Limits:     []string{promise.BeliefExclusion},
	Sources:    []string{"kazoo, SetPartitioner", "Apache Curator, LeaderSelector and GroupMember"},
	MinClients: 2,
	Drawing:    event.Drawing{Stores: kit.Orders()},
	Keeps:      []string{"tasks"},
	Role:       crewRole,
	Parents:    func(root string) []string { return []string{root, root + "/members", root + "/tasks"} },
	Main:       recipe.OnZooKeeper(useWorkAssignment),
}
