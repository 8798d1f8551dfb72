// record prints what robfig/cron says of schedules, as cases.tsv has it:
//
//	schedule TAB zone TAB time TAB the next time, "never" or "error"
//
// Without arguments those of cases.tsv, which were chosen of 700: whatever change
// of an operator or a number in crontab.c and zone.c any of them finds, eight of
// these find, or all that do. With a seed and a number: so many by chance, for
// build/t/ireconcile/test-crontab with CASES=FILE.
//
//	cd t/cluster && ZONEINFO=$PWD/../unit/ireconcile/crontab/zoneinfo \
//		go run ../unit/ireconcile/crontab/record.go 1 400
package main

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

var zones = []string{"UTC", "Europe/Berlin", "Europe/Dublin",
	"America/New_York", "America/Sao_Paulo", "Australia/Lord_Howe",
	"Asia/Kolkata", "Asia/Beirut", "Africa/Casablanca"}

func print(schedule, zone string, at int64) {
	fmt.Printf("%s\t%s\t%d\t", schedule, zone, at)
	location, err := time.LoadLocation(zone)
	if err != nil {
		panic(err)
	}
	s, err := cron.ParseStandard(schedule)
	if err != nil {
		fmt.Println("error")
		return
	}
	next := s.Next(time.Unix(at, 0).In(location))
	if next.IsZero() {
		fmt.Println("never")
	} else {
		fmt.Println(next.Unix())
	}
}

func pick(r *rand.Rand, texts ...string) string {
	return texts[r.Intn(len(texts))]
}

func field(r *rand.Rand, min, max int) string {
	n := min + r.Intn(max-min+1)
	to := n + r.Intn(max-n+1)
	return pick(r, "*", "*", "?", fmt.Sprint(n), fmt.Sprint(n),
		fmt.Sprintf("*/%d", 1+r.Intn(max)),
		fmt.Sprintf("%d-%d", n, to),
		fmt.Sprintf("%d-%d/%d", n, to, 1+r.Intn(5)),
		fmt.Sprintf("%d/%d", n, 1+r.Intn(9)),
		fmt.Sprintf("%d,%d", n, min+r.Intn(max-min+1)))
}

// Half of the times are within two days of a change of the offset.
func moment(r *rand.Rand, zone string) int64 {
	at := int64(1262304000) + r.Int63n(26*365*86400)
	location, _ := time.LoadLocation(zone)
	start, end := time.Unix(at, 0).In(location).ZoneBounds()
	switch {
	case r.Intn(2) == 0:
		return at
	case r.Intn(2) == 0 && !start.IsZero() && start.Unix() > 0:
		at = start.Unix()
	case !end.IsZero():
		at = end.Unix()
	}
	return at - 86400*2 + r.Int63n(86400*3)
}

func main() {
	if len(os.Args) > 2 {
		seed, _ := strconv.ParseInt(os.Args[1], 10, 64)
		count, _ := strconv.Atoi(os.Args[2])
		r := rand.New(rand.NewSource(seed))
		for i := 0; i < count; i++ {
			zone := zones[r.Intn(len(zones))]
			print(strings.Join([]string{field(r, 0, 59),
				field(r, 0, 23), field(r, 1, 31), field(r, 1, 12),
				field(r, 0, 6)}, " "), zone, moment(r, zone))
		}
		return
	}
	_, self, _, _ := runtime.Caller(0)
	text, err := os.ReadFile(filepath.Join(filepath.Dir(self), "cases.tsv"))
	if err != nil {
		panic(err)
	}
	for _, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		part := strings.Split(line, "\t")
		at, _ := strconv.ParseInt(part[2], 10, 64)
		print(part[0], part[1], at)
	}
}
