# kselect's completion for fish. It queries the program itself, so it never becomes outdated.

function __kselect_complete
    set -l before (commandline --tokenize --cut-at-cursor --current-process)
    set -l typed (commandline --current-token --cut-at-cursor | string replace --regex '^["\']' '')
    set -l words (commandline --tokenize --current-process)
    # Behind the cursor: the words after those before it, and after its own unless that is still empty.
    set -l at (count $before)
    set -l next (math $at + 1)
    test -n (commandline --current-token)[1]; and set next (math $at + 2)
    set -l behind
    test $next -le (count $words); and set behind $words[$next..-1]
    set -l answer (command kselect __complete $at $before $typed $behind 2>/dev/null)
    if test "$answer[-1]" = :0
        # The path of --filename=PATH.
        set -l flag (string match --regex -- '^-[^=]*=' $typed; or echo '')
        for path in (__fish_complete_path (string replace --regex -- '^-[^=]*=' '' $typed))
            echo $flag$path
        end
    else if test (count $answer) -gt 1
        printf '%s\n' $answer[1..-2]
    end
end

complete --command kselect --no-files --arguments '(__kselect_complete)'
