package attacks

// ofRooms are attacks that would take what everybody shares: memory for events, places, turns to compute.
func ofRooms() []Attack {
	return []Attack{
		{Name: "forks", Weight: 30, Rest: rest, Play: forks,
			Shows: "Twenty-four pages that do fifty-eight faults each to the biggest run stay within the server's memory."},
		{Name: "fill-events", Weight: 25, Rest: rest, Play: fillEvents,
			Shows: "Thirty-six pages that keep the longest logs, from one address and from eight, keep no newcomer from " +
				"opening a lesson."},
		{Name: "fill-live", Weight: 20, Rest: longRest, Live: true, Play: fillWith("observe"),
			Shows: "Anyone who observes many subtrees on Live and leaves keeps no newcomer from looking at another."},
		{Name: "fill-zoo", Weight: 20, Rest: rest, Play: fillWith("zoo"),
			Shows: "Anyone who shows many subtrees of the Zoo and leaves keeps no newcomer from looking at another."},
		{Name: "sockets", Weight: 25, Rest: rest, Play: sockets,
			Shows: "Two thousand pages, from one address and from eight, do not use up the places of all others."},
		{Name: "big-figures", Weight: 20, Rest: rest, Play: bigFigures,
			Shows: "Thirty requests for figures of a thousand clients do not block the Lab, and who is refused is told when " +
				"to try again."},
		{Name: "many-figures", Weight: 25, Rest: rest, Play: manyFigures,
			Shows: "Three thousand requests for small figures neither fill a cache for ever nor hold up others."},
		{Name: "askers-leave", Weight: 15, Rest: rest, Play: askersLeave,
			Shows: "A computation ends when nobody waits for it any more."},
		{Name: "bad-messages", Weight: 20, Rest: rest, Play: badMessages,
			Shows: "Messages that are refused, or ask for the slowest runs that there are, again and again, take no turn from " +
				"others."},
	}
}

// ofMemory are attacks of one client of the ZooKeeper inside that would end the process.
func ofMemory() []Attack {
	return []Attack{
		{Name: "multi-read", Weight: 15, Rest: rest, Play: multiRead,
			Shows: "A multiRead that asks for a thousand and for four thousand times a megabyte does not end the server."},
		{Name: "unread-lists", Weight: 25, Rest: rest, Play: unreadLists,
			Shows: "Fifty connections that ask for long lists of children and read nothing do not fill the memory."},
		{Name: "unread-events", Weight: 20, Rest: rest, Play: unreadEvents,
			Shows: "Two hundred connections that let watch events pile up do not fill the memory."},
		{Name: "zk-connections", Weight: 15, Rest: rest, Play: connections,
			Shows: "Thousands of connections to the ZooKeeper inside, silent or half greeted, from sixty addresses, shut " +
				"nobody out."},
		{Name: "zk-frames", Weight: 20, Rest: rest, Play: frames,
			Shows: "Frames that are huge, announced and never sent, negative or garbage cost the server little."},
	}
}

// ofStandstill are attacks in which one client of the ZooKeeper inside makes all others wait.
func ofStandstill() []Attack {
	return []Attack{
		{Name: "watch-words", Weight: 25, Rest: rest, Play: watchWords,
			Shows: "Twenty who ask at once for a list of a million watches keep no other client waiting."},
		{Name: "delete-ephemerals", Weight: 25, Rest: rest, Play: deleteEphemerals,
			Shows: "A session that deletes two hundred thousand ephemeral znodes from the last keeps no other client waiting."},
		{Name: "session-end", Weight: 20, Rest: rest, Play: sessionEnd,
			Shows: "The end of a session with two hundred thousand ephemeral znodes keeps no other client waiting."},
		{Name: "auth-names", Weight: 20, Rest: rest, Play: authNames,
			Shows: "Clients that add names of nearly a megabyte to their session, again and again, cost neither memory nor " +
				"others' time."},
		{Name: "set-watches", Weight: 20, Rest: rest, Play: setWatches,
			Shows: "Requests that set a hundred thousand watches at once keep no other client waiting."},
		{Name: "words", Weight: 15, Rest: rest, Play: words,
			Shows: "A storm of dump, cons and mntr with hundreds of sessions keeps no other client waiting."},
	}
}

// ofHTTP are attacks on the pages' server.
func ofHTTP() []Attack {
	return []Attack{
		{Name: "live-storm", Weight: 15, Rest: rest, Dials: 5, Play: liveStorm,
			Shows: "Fifty requests a second for the page Live are not fifty connections a second to the operator's cluster."},
		{Name: "page-storm", Weight: 20, Rest: rest, Play: pageStorm,
			Shows: "A hundred pages a second, plain and compressed, leave time for others."},
		{Name: "slow-requests", Weight: 20, Rest: rest, Play: slowRequests,
			Shows: "Four thousand connections that are idle, or send a request and never end it, shut nobody out."},
		{Name: "headers", Weight: 15, Rest: rest, Play: headers,
			Shows: "Requests with headers of a megabyte, or with thousands of them, are refused and cost little."},
		{Name: "frames", Weight: 20, Rest: rest, Play: badFrames,
			Shows: "Frames of a websocket that are huge, fragmented, binary, unmasked or without end are cut off."},
		{Name: "unread-runs", Weight: 25, Rest: rest, Play: unreadRuns,
			Shows: "Two hundred pages that stop to read in the middle of a long log do not fill the memory."},
	}
}

// ofTraces are files that somebody is asked to open.
func ofTraces() []Attack {
	return []Attack{
		{Name: "trace-bombs", Weight: 50, Rest: rest, Play: playBombs,
			Shows: "Traces with ninety thousand watches, ninety thousand falling znodes, or ten thousand readers are checked " +
				"and drawn in seconds."},
		{Name: "trace-escapes", Weight: 5, Rest: rest, Play: escapes,
			Shows: "A trace cannot write control characters to the terminal of anyone who checks it."},
	}
}

// ofData are attacks, and accidents, by which the operator's own data could be lost or written over.
func ofData() []Attack {
	return []Attack{
		{Name: "foreign-data", Weight: 60, Rest: rest, Play: foreignData,
			Shows: "Whatever others keep below and beside --zk-path, however it is called, stays as it is, and what runs made " +
				"goes."},
		{Name: "foreign-page", Weight: 30, Rest: rest, Play: foreignPage,
			Shows: "Nothing that a browser sends for a page of somebody else's makes a transaction on the operator's cluster."},
	}
}
