/*
 * Subroutines on strings of the target.
 * @needs: bpf
 * @engines: kernel process
 * @target: calls
 * @run: -qs %f -c %t
 */
pid$target:a.out:name:entry
{
	this->s = copyinstr(arg0);
	printf("%d %s %s %s %d %d\n", strlen(this->s), substr(this->s, 1, 3),
	    strjoin(this->s, "!"), strchr(this->s, 'a'),
	    index(this->s, "ta"), rindex(this->s, "a"));
	printf("%s %s\n", toupper(this->s), strrchr(this->s, 'm') == NULL ?
	    "-" : strrchr(this->s, 'm'));
	printf("%s %s\n", strtok(strjoin(this->s, "/x/y"), "/"),
	    strtok(NULL, "/"));
	printf("%s %s\n", basename(strjoin("/a/", this->s)),
	    dirname(strjoin("/a/", this->s)));
	printf("%d %d %d\n", this->s == "beta", this->s < "beta",
	    this->s > "beta");
	printf("%-8s|%8s|%.2s|\n", this->s, this->s, this->s);
}
