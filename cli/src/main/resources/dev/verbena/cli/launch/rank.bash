# Runs a command as a process group of its own, with nothing to read, and ends with its status. A line on standard input, or its end, which comes
# when the launcher dies, whatever of, ends the group: SIGTERM, and after $grace tenths of a second SIGKILL. What the command has left behind
# when it ends goes the same way.
exec 3<&0 < /dev/null
# What this shell itself has to say, such as that a job is done, is for nobody.
exec 5>&2 2> /dev/null
set -m
"$@" 2>&5 3<&- 5>&- &
child=$!
set +m
exec 5>&-
# Never readable: a read from it with a deadline is a sleep that leaves no process behind.
exec 4<> <(:)
end() {
  kill -TERM -- "-$child"
  for ((i = 0; i < grace; i++)); do
    kill -0 -- "-$child" || return
    read -r -t 0.1 <&4
  done
  kill -KILL -- "-$child"
}
{
  read -r <&3
  end
} > /dev/null &
watcher=$!
# Ctrl-C goes to this group too; the launcher decides what it means.
trap : INT TERM HUP
while :; do
  wait "$child"
  status=$?
  kill -0 "$child" || break
done
if kill -0 -- "-$child"; then
  end
fi
kill "$watcher"
wait "$watcher"
exit "$status"
