// Package recordings finds and reads recordings at whichever server they are, over engine/run/shared.
//
// It knows neither ZooKeeper nor HTTP: recordings are segments of an engine/observe/record folder, each of a cluster,
// and a function of the caller's says which clusters are the same.
//
// # How servers share recordings
//
// Each folder has a name of its own, which nobody else makes up and which stays with it. Its server owns that name, and
// answers those who ask for a list, or for a piece of a file. It says every SayEvery that it is there. A recording's ID
// is its folder's name and its own, so it means the same at all servers, also behind a balancer.
//
// A reader asks for one piece after the other, so a slow one holds nobody up, and nothing is kept for it. What others
// answer is believed no further than what is checked here: see received.
//
// # What isn't shared
//
// A server shares the recordings of clusters that the caller allows: not those that it authenticates itself to, since
// others needn't be allowed to see what it reads.
package recordings
