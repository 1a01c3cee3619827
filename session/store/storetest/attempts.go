package storetest

import (
	"database/sql"

	_ "github.com/mattn/go-sqlite3" // reads the file
)

// RecordedAttempts returns the number of HTTP attempts recorded in history files, retries included and the guide
// excluded. ok is false if a file cannot be read, for example because the test damaged it.
func RecordedAttempts(paths ...string) (n int, ok bool) {
	ok = true
	for _, path := range paths {
		attempts, readable := attempts(path)
		n, ok = n+attempts, ok && readable
	}
	return n, ok
}

func attempts(path string) (n int, ok bool) {
	db, err := sql.Open("sqlite3", "file:"+path+"?mode=ro")
	if err != nil {
		return 0, false
	}
	defer db.Close()
	err = db.QueryRow("SELECT coalesce(sum(1 + retries), 0) FROM requests WHERE endpoint <> 'guide'").Scan(&n)
	return n, err == nil
}
