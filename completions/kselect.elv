# kselect's completion for elvish. It queries the program itself, so it never becomes outdated.

use str

set edit:completion:arg-completer[kselect] = {|@words|
    var answer = [(try { (external kselect) __complete (- (count $words) 1) $@words 2>/dev/null } catch _ { echo ':4' } | from-lines)]
    var end = $answer[-1]
    if (==s $end ':0') {
        edit:complete-filename $@words
    } else {
        var suffix = ' '
        if (==s $end ':6') { set suffix = '' }
        for line $answer[..-1] {
            var parts = [(str:split &max=2 "\t" $line)]
            var display = $parts[0]
            if (> (count $parts) 1) { set display = $parts[0]'  -- '$parts[1] }
            edit:complex-candidate $parts[0] &display=$display &code-suffix=$suffix
        }
    }
}
