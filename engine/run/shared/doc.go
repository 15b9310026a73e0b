// Package shared gives several servers what they have in common, over NATS: append-only logs by name (Log), one owner
// for each name (Lease), requests to the owner from any server (Ask), and volatile messages to all: the owner's (Hear)
// and anybody's (Listen). Without a NATS of the operator's own, Open runs one inside the process, without a port, on
// files.
//
// It knows neither classes nor rooms nor HTTP: names and bytes are the caller's. It isn't a cache, and it keeps nothing
// for long: a log ends after LogAge, and its entries go KeptFor after they came.
//
// # Why entries of two owners never mix
//
// All logs are one JetStream stream, a subject for each log. Each entry carries the epoch of the owner that wrote it,
// and is stored only if it directly follows an entry that its writer names, by that entry's sequence in the stream
// (Nats-Expected-Last-Subject-Sequence). JetStream never assigns a sequence again. Then:
//
//  1. The first entry of an owner is a mark (kindTaken). An owner puts it only behind an entry whose epoch is lower
//     than its own, and that is the entry that it names, so it can't end up behind another.
//  2. Every other entry of an owner names an entry of the same owner.
//
// So the entries of an epoch are one run without a gap, and each run has a higher epoch than the run before. Once the
// mark of a new owner is stored, the last entry isn't the old owner's, and NATS refuses all that the old owner has sent
// or will send, in flight or held up in a paused process. No clock is part of this argument: not the lease's, not
// NATS's. Log.Take puts the mark, and returns after it is stored. A deleted log keeps a mark, so that even its first
// owner's mark, which names no entry, can't come late.
//
// An append whose answer is lost may have been stored. The log sends the same entry again, behind the same one, until
// it knows: two can't be stored, since the second doesn't follow the entry that it names, and then the last entry tells
// whether the first one was. An append that fails with ErrNotOwner or because its context ended may still be in the
// log; a request that is repeated at the next owner must be recognizable by its content.
//
// # Why two owners don't believe in themselves at once
//
// A lease is a key of a JetStream bucket whose values expire LeaseFor after NATS got them. To take it is to create the
// key, to renew it is to replace the value that one wrote before. An owner believes in its lease for five sixths
// of that, from the moment before it sent the last value that was stored. It looks at the clock each time that
// somebody asks, so a process that was stopped stops believing with its first question; a clock that stands still while
// a machine sleeps doesn't deceive it, since the time of day must agree. This holds while NATS's clock doesn't jump
// ahead. If it does, or between a question and what follows from it, two owners may believe in themselves. Their log
// still holds, by the argument above, so decide by the log: what counts is what was appended.
//
// An epoch is the key's revision at its creation, the bucket's sequence, so later owners have higher ones.
//
// The recipe server-lease shows all this. TestRecipeIsTheSame asks both the same.
//
// # What NATS must do
//
// NATS must not lose what it has acknowledged, or the numbers of lost entries come again with other content, and
// readers that had the lost ones don't notice. The server inside writes each entry to its file before it acknowledges
// it, and forces it to the disk every SyncEvery: it loses nothing if the process is killed, and at most that much if
// the machine loses its power. A cluster keeps three copies, see Config.Copies.
package shared
